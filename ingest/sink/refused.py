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

from ingest.durable import replace
from ingest.erasure.lake_files import content, files, metadata, scanned
from ingest.erasure.sweep import raise_generation
from ingest.home import Home
from ingest.lake.columns import schema
from ingest.lake.segments import partitions, segments
from ingest.log.base import Entry, EventLog, Position, Record
from ingest.sink.land import rows
from models.errors import BadEvent, TerminalError
from models.events import HEADERS, parse
from models.topics import TOPICS

PLACE = ["log_partition", "log_offset"]
RECORD = ("topic", *PLACE, "received_at", "error", "record_key", "record_headers", "raw")

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
    record: Record


def refused(home: Home, *, topic: str | None = None, reason: str = "", at: Place | None = None) -> Iterator[Refused]:
    """What the lake has of them, in the order of places: of one topic, whose reason contains `reason`, at a place.

    What was erased has no bytes, and what was corrected is settled: neither is among them.
    """
    for name in wanted_topics(at.topic if at else topic):
        with home.lock("compaction"):
            there = [file for each in partitions(home, name) for file in segments(home, name, each)]
            frames = [frame for _, frame in bad_rows(there, name)]
            settled = corrections(there, name) if frames else {}
        for frame in frames:
            for row in _wanted(frame, reason, at, settled).iter_rows(named=True):
                place = Place(row["topic"], row["log_partition"], row["log_offset"])
                yield Refused(place, row["received_at"], row["error"], record_of(row))


def wanted_topics(topic: str | None) -> list[str]:
    """`topic`, or all. Raises TerminalError for one that is not of the contract."""
    if topic is not None and topic not in TOPICS:
        raise TerminalError(f"{topic!r} is no topic; there are: {', '.join(TOPICS)}")
    return [topic] if topic else list(TOPICS)


def bad_rows(among: list[Path], topic: str) -> Iterator[tuple[Path, pl.DataFrame]]:
    """The files with records that are no events, and these records, as far as `record_of` needs them."""
    is_bad = pl.col("error").is_not_null() & pl.col("raw").is_not_null()
    with_some = [file for file in among if int(metadata(file).get("flywheel.errors", "1"))]
    return scanned(with_some, RECORD, schema(topic), among=is_bad)


def corrections(among: list[Path], topic: str) -> dict[Place, str]:
    """Place of a record that is no event -> key (source|id) of the event that was put in place of it."""
    found: dict[Place, str] = {}
    wanted = ("source", "event_id", "record_headers")
    corrects = pl.col("record_headers").str.contains(f'"{CORRECTS}"', literal=True) & pl.col("error").is_null()
    for _, frame in scanned(among, wanted, schema(topic), among=corrects):
        for source, event_id, packed in frame.select(wanted).iter_rows():
            headers = dict(unpacked(packed))
            found.setdefault(Place.of(headers[CORRECTS].decode()), f"{source}|{event_id}")
    return found


def _wanted(frame: pl.DataFrame, reason: str, at: Place | None, settled: dict[Place, str]) -> pl.DataFrame:
    says = pl.col("error").str.to_lowercase().str.contains(reason.lower(), literal=True)
    frame = frame.filter(says).sort(PLACE)
    if at is not None:
        frame = frame.filter(pl.col("log_partition") == at.partition, pl.col("log_offset") == at.offset)
    places = zip(frame["topic"], frame["log_partition"], frame["log_offset"], strict=True)
    return frame.filter(pl.Series([Place(*place) not in settled for place in places], dtype=pl.Boolean))


class ReadAgain(NamedTuple):
    """What a second reading found."""

    read: int
    events: int
    """How many are events now."""
    files: int


def read_again(home: Home, *, topic: str | None = None, reason: str = "", at: Place | None = None) -> ReadAgain:
    """Read records that are no events once more, by today's code, where they stand; what has become an event takes its
    row. The next build is a cold one, as after an erasure.

    Raises TransientError where a build or a compaction holds the lake for too long, or the disk is full.
    """
    seen: set[Place] = set()
    events: set[Place] = set()
    count = 0
    with home.lock("build"), home.lock("compaction"):
        for name in wanted_topics(at.topic if at else topic):
            every = files(home, name)  # also what was merged and is still there for readers
            settled = corrections(every, name)
            for file, frame in bad_rows(every, name):
                records = [record_of(row) for row in _wanted(frame, reason, at, settled).iter_rows(named=True)]
                good = rows(records, name).filter(pl.col("error").is_null())
                seen |= {Place(*record[:3]) for record in records}
                if not good.height:
                    continue
                if not events:
                    raise_generation(home)  # before the first: no crash leaves a warehouse that looks as if it knew
                _put(file, good)
                events |= {Place(*place) for place in good.select("topic", *PLACE).iter_rows()}
                count += 1
    return ReadAgain(len(seen), len(events), count)


def _put(file: Path, good: pl.DataFrame) -> None:
    """`good` in place of the rows that stand at the same places of `file`."""
    there = pl.read_parquet(file, glob=False)
    others = there.join(good.select(PLACE), on=PLACE, how="anti", maintain_order="left")
    merged = pl.concat([others, good], how="diagonal_relaxed").sort(PLACE)
    said = metadata(file) | {"flywheel.errors": str(merged["error"].count())}
    replace(file, content(merged, said))


def record_of(row: dict[str, Any]) -> Record:
    """A row of the lake as the record that it was read from."""
    return Record(
        row["topic"],
        row["log_partition"],
        row["log_offset"],
        row["record_key"],
        row["raw"],
        unpacked(row["record_headers"]),
        row["received_at"],
    )


def unpacked(headers: str | None) -> tuple[tuple[str, bytes], ...]:
    """The headers that a row's `record_headers` stands for."""
    packed = cast("list[list[str]]", json.loads(headers or "[]"))
    return tuple((name, base64.b64decode(content)) for name, content in packed)


def correct(log: EventLog, home: Home, one: Refused, value: bytes) -> Position:
    """Append `value`, a CloudEvent in structured mode, in place of a record that is no event; say where it now stands.

    Raises BadEvent where `value` is none either, and TerminalError where another event was put in its place before:
    nothing is appended then.
    """
    event = parse(value)
    there = [file for each in partitions(home, one.place.topic) for file in segments(home, one.place.topic, each)]
    before = corrections(there, one.place.topic).get(one.place)
    if before not in (None, f"{event.source}|{event.id}"):
        raise TerminalError(f"{before} was put in place of {one.place} before: give the correction that id")
    if event.topic != one.place.topic:
        raise BadEvent(f"{event.type} belongs on topic {event.topic}, and {one.place} is on {one.place.topic}")
    headers = (*HEADERS, (CORRECTS, str(one.place).encode()))
    (position,) = log.append([Entry(event.topic, event.key, value, headers)])
    return position
