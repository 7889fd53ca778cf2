"""A lake without a log: events land as received when the test says."""

from datetime import UTC, datetime, timedelta
from typing import Any

from ingest.home import Home
from ingest.lake.segments import Footer, next_position, write
from ingest.log import Record
from ingest.sink import rows
from models.events import HEADERS, AnyEvent, dump
from models.events.comment import CommentLeft
from models.feedback import Author, Target

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
BEFORE, AFTER = NOON - timedelta(hours=1), NOON + timedelta(hours=1)


def land(home: Home, *events: AnyEvent | bytes, at: datetime = BEFORE, topic: str = "feedback") -> None:
    """Each topic's as one segment of its partition 0; bytes land on `topic`."""
    by_topic: dict[str, list[bytes]] = {}
    for event in events:
        name = topic if isinstance(event, bytes) else event.topic
        by_topic.setdefault(name, []).append(event if isinstance(event, bytes) else dump(event))
    for name, values in by_topic.items():
        start = next_position(home, name, 0)
        records = [Record(name, 0, start + place, b"key", value, HEADERS, at) for place, value in enumerate(values)]
        footer = Footer(name, 0, start + len(records), "lab", "lab", 0)
        assert write(home, start, rows(records, name), footer)


def comment(name: str, author: Author, target: str, kind: Any = "response", text: str = "too long") -> CommentLeft:
    """A comment that has an id, an author and a target, and says something."""
    return CommentLeft(id=name, source="app", author=author, target=Target(kind=kind, id=target), text=text)
