"""What `benchmarks.ingest` measures on: feedback as products send it, the same for every contestant and every run.

Nine in ten are written as the collector, the client and the importers write; one in ten by a product that writes to
Kafka itself, in a spelling of its own; one in a thousand is no event.
"""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from ingest.log import Entry
from models.events import HEADERS, dump
from models.events.base import Event
from models.events.comment import CommentLeft
from models.events.report import ReportFiled
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target

TOPIC = "feedback"
EPOCH = datetime(2026, 3, 1, tzinfo=UTC)
SENTENCES = (
    "the answer is too long and it misses what I asked for",
    "please keep to the point when you call a tool look at its result first",
    "this one was right but the café’s table is broken again 👍",
    "thanks nobody asked for a poem",
)
WORDS = [word for sentence in SENTENCES for word in sentence.split()]
EVERY_FOREIGN, EVERY_BROKEN = 10, 1_000


def entries(count: int) -> Iterator[Entry]:
    """`count` entries, of which `broken(count)` are no events."""
    chance = random.Random(7)
    for number in range(count):
        event = _event(number, chance)
        value = dump(event)
        if number % EVERY_BROKEN == EVERY_BROKEN - 1:
            value = value[: len(value) // 2]
        elif number % EVERY_FOREIGN == 0:
            value = _foreign(value)
        yield Entry(TOPIC, event.key, value, HEADERS)


def broken(count: int) -> int:
    """How many of `count` are no events."""
    return count // EVERY_BROKEN


def _event(number: int, chance: random.Random) -> Event:
    target, author = Target(kind="response", id=f"resp-{number:09d}"), Author(kind="human", id=f"user-{number % 9_973}")
    common: dict[str, Any] = {
        "id": f"fb-{number:09d}",
        "source": "shop",
        "occurred_at": EPOCH + timedelta(milliseconds=37 * number),
        "target": target,
        "author": author,
    }
    kind = chance.random()
    if kind < 0.5:
        return ThumbGiven(**common, thumb="up" if kind < 0.4 else "down")
    if kind < 0.75:
        return CommentLeft(**common, text=_text(chance))
    if kind < 0.95:
        value = round(chance.random(), 3)
        return ScoreGiven(**common, metric="helpfulness", data_type="numeric", value=value, scale_min=0, scale_max=1)
    return ReportFiled(**common, kind="dogfood", text=_text(chance), rating=float(chance.randint(1, 5)))


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(5, 60)))


def _foreign(value: bytes) -> bytes:
    """The same event as `json.dumps` writes it by default, without what is optional."""
    content = json.loads(value)
    wanted = ("specversion", "id", "type", "source", "time")
    data = {name: inner for name, inner in content["data"].items() if inner is not None or name == "thumb"}
    return json.dumps({**{name: content[name] for name in wanted}, "data": data}).encode()
