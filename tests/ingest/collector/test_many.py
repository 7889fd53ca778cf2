"""A batch that is read together has the answer that each of its events has alone."""

import json
import random
from typing import Any, cast

import pytest

from benchmarks.hostile import corpus_request
from ingest.collector.cloud_events import BATCH, STRUCTURED
from ingest.collector.keys import OPEN, ApiKey
from ingest.collector.many import KEY_OF, from_batch
from ingest.collector.offered import Ready, Sender, from_bytes
from models.events import dump
from tests.ingest.collector.test_events import COMMENT, THUMB

NARROW = ApiKey(key_id="0", name="web", source="web", scopes=("feedback",), sha256="", created_at="")


@pytest.mark.parametrize("key", [OPEN, NARROW], ids=["open", "narrow"])
def test_together_and_alone_say_the_same(key: ApiKey) -> None:
    chance = random.Random(5)
    values = [dump(COMMENT), dump(THUMB.model_copy(update={"source": "ü"})), dump(COMMENT), b"", b"[]"]
    media_types = {BATCH.encode(), STRUCTURED.encode()}
    for number in range(600):
        request = corpus_request(chance, number)
        if dict(request.headers).get(b"content-type") in media_types and len(request.body) < 100_000:
            values.append(request.body)
            try:
                parts: Any = json.loads(request.body)
            except (ValueError, RecursionError):
                continue
            values += [json.dumps(part).encode() for part in cast(list[Any], parts)] if isinstance(parts, list) else []
    sender = Sender(key, None)
    alone = [from_bytes(place, value, sender) for place, value in enumerate(values)]
    assert from_batch(values, sender) == alone
    assert sum(isinstance(offered, Ready) for offered in alone) > 20


def test_every_type_that_is_read_together_has_a_key() -> None:
    assert {COMMENT.type, THUMB.type} <= set(KEY_OF)
