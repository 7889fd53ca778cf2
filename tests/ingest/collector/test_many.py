"""A batch that is read together has the answer that each of its events has alone."""

import json
import random
from typing import Any, cast

import pytest

from benchmarks.hostile import corpus_request
from ingest.collector.answers import Refusal
from ingest.collector.cloud_events import BATCH, STRUCTURED
from ingest.collector.keys import OPEN, ApiKey
from ingest.collector.many import KEY_OF, from_batch
from ingest.collector.offered import Ready, Sender, from_bytes
from models.events import dump
from models.events.report import ReportFiled
from models.feedback import Author
from tests.ingest.collector.test_events import COMMENT, THUMB

NARROW = ApiKey(key_id="0", name="web", source="web", scopes=("feedback",), sha256="", created_at="")


def reports() -> list[ReportFiled]:
    """A person's, and three that say that a rule has filed them."""
    plain = ReportFiled(id="1", source="web", author=Author(kind="code", id="r"), kind="dogfood", text="t", steps=(1,))
    ours: list[dict[str, Any]] = [{"kind": "automated"}, {"rule": "r"}, {"rule_version": 1}]
    return [plain, *(plain.model_copy(update={"id": str(fields), **fields}) for fields in ours)]


@pytest.mark.parametrize("key", [OPEN, NARROW], ids=["open", "narrow"])
def test_together_and_alone_say_the_same(key: ApiKey) -> None:
    chance = random.Random(5)
    values = [dump(COMMENT), dump(THUMB.model_copy(update={"source": "ü"})), dump(COMMENT), b"", b"[]"]
    values += [dump(report) for report in reports()]
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


def test_a_rules_report_needs_a_key_of_our_own_workers() -> None:
    values = [dump(report) for report in reports()]
    for key, taken in ((OPEN, [True] * 4), (NARROW, [True, False, False, False])):
        offered = from_batch(values, Sender(key, None))
        assert [isinstance(one, Ready) for one in offered] == taken
        assert {one.why for one in offered if isinstance(one, Refusal)} <= {"scope"}


def test_every_type_that_is_read_together_has_a_key() -> None:
    assert {COMMENT.type, THUMB.type} <= set(KEY_OF)
