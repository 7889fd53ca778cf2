"""Land a log, or another home's lake, in a new home: the same positions and times of arrival, read by today's code.

From the log, where it still keeps everything; from the lake, which is the archive, where it doesn't. Dead letters are
not sent again: they were. Left out: building the new home, and comparing it.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from typing import NamedTuple, cast

import polars as pl

from ingest.erasure.landing import Landing
from ingest.erasure.requests import TOPIC as PRIVACY
from ingest.erasure.sweep import sweep
from ingest.home import Home
from ingest.lake.columns import schema
from ingest.lake.segments import Footer, ensure_empty, partitions, read, read_footer, segments, start_of, write
from ingest.log.base import EventLog, Record
from ingest.log.lanes import Lanes
from ingest.sink.land import rows
from ingest.sink.refused import record_of
from models.errors import TerminalError, TransientError
from models.topics import TOPICS

ROWS_A_SEGMENT = 100_000
BYTES_A_SEGMENT = 64 * 1024 * 1024


class Selection(NamedTuple):
    """What of it is wanted. Everything, unless said otherwise."""

    topics: frozenset[str] = frozenset(TOPICS)
    since: datetime | None = None
    until: datetime | None = None
    """Arrival: from `since` on, and before `until`."""
    types: tuple[str, ...] = ()
    """Patterns of event types, as in `feedback.*`. What is no event has no type, and is left out where any is given."""

    def of(self, topic: str, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of `frame` that are wanted."""
        if topic == PRIVACY:
            return frame
        if self.since is not None:
            frame = frame.filter(pl.col("received_at") >= self.since)
        if self.until is not None:
            frame = frame.filter(pl.col("received_at") < self.until)
        if self.types:
            known = cast("list[str]", frame["type"].drop_nulls().unique().to_list())
            wanted = [name for name in known if any(fnmatchcase(name, pattern) for pattern in self.types)]
            frame = frame.filter(pl.col("type").is_in(wanted))
        return frame


class Replayed(NamedTuple):
    """What became of one topic's records."""

    topic: str
    seen: int
    landed: int
    errors: int
    """How many of the landed are no events."""


def begin(into: Home, log: EventLog, url: str) -> None:
    """Make `into` a home of `log`, which is at `url`. Raises TerminalError where it is in use already."""
    used = {"log", "log_url"} & into.facts().keys() or into.log.exists() or any(into.lake.glob("*/[0-9]*/*.parquet"))
    if used:
        raise TerminalError(f"home {into.path} is in use already: replay into a new folder")
    into.pin("log", log.identity())
    into.pin("log_url", url)


def from_log(log: EventLog, into: Home) -> Iterator[Replayed]:
    """Land all that `log` holds in `into`, a new home of it (see `begin`), topic by topic.

    Raises TerminalError where the log no longer keeps its beginning: the lake has it.
    """
    identity, lanes, landing = log.identity(), Lanes(log), Landing(log)
    for topic in wanted_topics(Selection()):
        ensure_empty(into, topic)
        count: Counter[str] = Counter()
        begins = lanes.begin_offsets(topic)
        for partition, end in sorted(lanes.end_offsets(topic).items()):
            if begins.get(partition, 0) > 0:
                raise TerminalError(
                    f"the log keeps {topic}/{partition} from offset {begins[partition]} on only: replay from the lake "
                    "(--from lake), which has all that has landed"
                )
            footer = Footer(topic, partition, 0, identity, lanes.topic_id(topic, partition), 0)
            for start, records, after in _batches(lanes, topic, partition, end):
                count["seen"] += len(records)
                frame = landing.blank(rows(records, topic), topic)
                count += _land(into, start, frame, footer._replace(next=after))
        yield Replayed(topic, count["seen"], count["landed"], count["errors"])
    with into.lock("build"):
        sweep(into)  # what others wrote about who asked to be erased


def from_lake(home: Home, into: Home, wanted: Selection) -> Iterator[Replayed]:
    """Land what the lake of `home` holds in `into`, a new home of its log (see `begin`), topic by topic, each record
    read again from its bytes.

    What was erased stays so. A part comes from the lake alone: it knows what was erased, where a part of the log would
    miss the events that say whom a text is about.
    """
    with home.lock("build"):
        sweep(home)
    for topic in wanted_topics(wanted):
        ensure_empty(into, topic)
        count: Counter[str] = Counter()
        for partition in partitions(home, topic):
            for segment in segments(home, topic, partition):
                frame = _read_again(read(segment), topic)
                count["seen"] += frame.height
                count += _land(into, start_of(segment), wanted.of(topic, frame), read_footer(segment))
        yield Replayed(topic, count["seen"], count["landed"], count["errors"])


def wanted_topics(wanted: Selection) -> list[str]:
    """The topics that are wanted, after the one that says who asked to be erased: that is always wanted.

    Raises TerminalError for one that is not of the contract.
    """
    if unknown := sorted(wanted.topics - set(TOPICS)):
        raise TerminalError(f"{unknown[0]!r} is no topic; there are: {', '.join(TOPICS)}")
    return [PRIVACY, *(topic for topic in TOPICS if topic in wanted.topics and topic != PRIVACY)]


def _batches(lanes: Lanes, topic: str, partition: int, end: int) -> Iterator[tuple[int, list[Record], int]]:
    """(start, records, position after them), each about as large as a segment should be."""
    start = position = 0
    held: list[Record] = []
    size = 0
    while position < end:
        batch = lanes.read(topic, partition, position)
        new = [record for record in batch.records if record.offset < end]
        held += new
        size += sum(len(record.value) for record in new)
        if batch.next_offset == position:
            raise TransientError(f"the log gives nothing of {topic}/{partition} from {position} on, and ends at {end}")
        position = min(batch.next_offset, end)
        if len(held) >= ROWS_A_SEGMENT or size >= BYTES_A_SEGMENT:
            yield start, held, position
            start, held, size = position, [], 0
    if held or position > start:
        yield start, held, position


def _read_again(frame: pl.DataFrame, topic: str) -> pl.DataFrame:
    """`frame` as today's code reads its bytes; rows without bytes (erased) as they are."""
    with_bytes, without = frame.filter(pl.col("raw").is_not_null()), frame.filter(pl.col("raw").is_null())
    read_again = rows([record_of(row) for row in with_bytes.iter_rows(named=True)], topic)
    if without.is_empty():
        return read_again
    whole = pl.concat([read_again, without], how="diagonal_relaxed")
    return whole.select(pl.col(name).cast(kind) for name, kind in schema(topic).items()).sort("log_offset")


def _land(into: Home, start: int, frame: pl.DataFrame, footer: Footer) -> Counter[str]:
    errors = frame["error"].count()
    write(into, start, frame, footer._replace(errors=errors))
    return Counter(landed=frame.height, errors=errors)
