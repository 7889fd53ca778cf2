"""Records of the lake that are no events: to list, to look at, and to put right.

Two things can be put right. The record may be good, and the code that read it was not: it is read again where it
stands (`read_again`). Or the record is bad: a corrected one goes onto the log (`correct`). Either way its event counts
once, whatever is repeated: a place in the lake is one place, and (source, id) is one event.
"""

import base64
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

import polars as pl

from ingest.home import Home
from ingest.lake.segments import read, read_footer, segments
from ingest.log.base import Entry, EventLog, Position, Record
from models.errors import BadEvent, TerminalError
from models.events import HEADERS, parse
from models.topics import TOPICS

CORRECTS = "flywheel.corrects"
"""Header of a corrected record: the place of the one that it stands for."""


class Place(NamedTuple):
    """Where a record stands, written `topic/partition/offset`."""

    topic: str
    partition: int
    offset: int

    @classmethod
    def of(cls, text: str) -> Self:
        """The place that `text` names. Raises TerminalError for what is none."""
        topic, _, rest = text.partition("/")
        partition, _, offset = rest.partition("/")
        if topic not in TOPICS or not partition.isdecimal() or not offset.isdecimal():
            raise TerminalError(f"{text!r} is no place: TOPIC/PARTITION/OFFSET, as flywheel dead-letters list shows it")
        return cls(topic, int(partition), int(offset))

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}/{self.offset}"


class Refused(NamedTuple):
    """A record that is no event."""

    place: Place
    received_at: datetime
    reason: str
    segment: Path
    record: Record


def refused(home: Home, *, topic: str | None = None, reason: str = "", at: Place | None = None) -> Iterator[Refused]:
    """What the lake has of them, in the order of positions: of one topic, whose reason contains `reason`, at a place."""
    for segment in segments_with_errors(home, at.topic if at else topic):
        frame = read(segment).filter(pl.col("error").is_not_null(), pl.col("raw").is_not_null())
        for row in frame.iter_rows(named=True):
            place = Place(row["topic"], row["log_partition"], row["log_offset"])
            if reason.lower() in row["error"].lower() and at in (None, place):
                yield Refused(place, row["received_at"], row["error"], segment, record_of(row))


def segments_with_errors(home: Home, topic: str | None = None) -> Iterator[Path]:
    """Segments whose footer counts records that are no events."""
    if topic is not None and topic not in TOPICS:
        raise TerminalError(f"{topic!r} is no topic; there are: {', '.join(TOPICS)}")
    for name in [topic] if topic else TOPICS:
        for folder in sorted((home.lake / name).glob("[0-9]*"), key=lambda path: int(path.name)):
            for segment in segments(home, name, int(folder.name)):
                if read_footer(segment).errors:
                    yield segment


def record_of(row: dict[str, Any]) -> Record:
    """A row of the lake as the record that it was read from."""
    packed = cast("list[list[str]]", json.loads(row["record_headers"] or "[]"))
    headers = tuple((name, base64.b64decode(content)) for name, content in packed)
    return Record(
        row["topic"],
        row["log_partition"],
        row["log_offset"],
        row["record_key"],
        row["raw"],
        headers,
        row["received_at"],
    )


def correct(log: EventLog, one: Refused, value: bytes) -> Position:
    """Append `value`, a CloudEvent in structured mode, in place of a record that is no event; say where it now stands.

    Raises BadEvent where `value` is none either: nothing is appended then.
    """
    event = parse(value)
    if event.topic != one.place.topic:
        raise BadEvent(f"{event.type} belongs on topic {event.topic}, and {one.place} is on {one.place.topic}")
    headers = (*HEADERS, (CORRECTS, str(one.place).encode()))
    (position,) = log.append([Entry(event.topic, event.key, value, headers)])
    return position
