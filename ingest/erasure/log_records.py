"""The log after the lake: what lost its content there loses it here, where the log can be rewritten.

The embedded log can. Kafka can't: what it holds goes with its retention, and the certificate says when that is over.
"""

from datetime import datetime, timedelta
from typing import NamedTuple, Protocol, runtime_checkable

import polars as pl

from ingest.erasure import blanks
from ingest.erasure.lake_files import files, scanned
from ingest.erasure.owed import begin, owed, settle
from ingest.erasure.requests import Request
from ingest.erasure.rules import PLACE
from ingest.erasure.sweep import MODE
from ingest.home import Home
from ingest.lake.columns import schema
from ingest.log.base import EventLog, Position
from ingest.log.embedded import EmbeddedLog
from ingest.log.embedded_erase import Replacement
from ingest.log.replay import replay
from models.events import HEADERS
from models.topics import DEAD_LETTER_SUFFIX, TOPICS, log_place


class Kept(NamedTuple):
    """Records of a topic that can't be rewritten."""

    topic: str
    records: int
    until: datetime | None
    """By then the log has dropped them; None: it keeps them for ever."""


@runtime_checkable
class Retaining(Protocol):
    """A log whose records can't be rewritten, and go after a time."""

    def kept_for(self, topic: str) -> timedelta | None:
        """How long after its arrival a record may still be read; None: for ever."""
        ...


class Rewritten(NamedTuple):
    """What a log has lost, and what it could not lose."""

    records: int
    """Without content now, for these requests."""
    changed: int
    """How many of them had it until now."""
    kept: list[Kept]


def rewrite(log: EventLog, home: Home, requests: list[Request]) -> Rewritten:
    """Take out of the log what `requests` have taken out of the lake. Repeating it changes nothing more.

    The caller holds the lock `compaction`.
    """
    erased = {position: row for topic in TOPICS for position, row in _erased(home, topic, requests).items()}
    letters = {
        f"{position.topic}/{position.partition}/{position.offset}": str(row["erased"])
        for position, row in erased.items()
        if row["error"] is not None
    }
    if not isinstance(log, EmbeddedLog):
        settle(home, [request.key for request in requests])
        return Rewritten(0, 0, _kept(log, home, erased, letters))
    replaced = {_on_log(position): Replacement(*blanks.tombstone(row)) for position, row in erased.items()}
    for topic in log.topics():
        if topic.endswith(DEAD_LETTER_SUFFIX) and letters:
            for record in replay(log, topic):
                if found := letters.get((record.key or b"").decode(errors="replace")):
                    header = (blanks.HEADER, found.encode())
                    replaced[Position(topic, record.partition, record.offset)] = Replacement(b"", (header,), key=None)
    replaced |= _modes(log, home)
    there = {position: new for position, new in replaced.items() if not _stands(log, position, new)}
    if there or owed(home).begun:
        begin(home)
        log.erase(there)
    settle(home, [request.key for request in requests])
    return Rewritten(len(replaced), len(there), [])


def _on_log(position: Position) -> Position:
    """Where a record of the lake stands on the log: the lane of a topic for backfills is a topic there."""
    return Position(*log_place(position.topic, position.partition), position.offset)


def _erased(home: Home, topic: str, requests: list[Request]) -> dict[Position, dict[str, object]]:
    keys = [request.key for request in requests]
    among = pl.col("erased").is_in(keys)
    rows: dict[Position, dict[str, object]] = {}
    for _, frame in scanned(files(home, topic), blanks.ENVELOPE, schema(topic), among=among):
        for row in frame.iter_rows(named=True):
            rows[Position(topic, row["log_partition"], row["log_offset"])] = row
    return rows


def _modes(log: EventLog, home: Home) -> dict[Position, Replacement]:
    """Discovered modes that rest on fewer members in the lake than the log says."""
    found: dict[Position, Replacement] = {}
    among = (pl.col("type") == MODE) & pl.col("error").is_null() & pl.col("erased").is_null()
    lake: dict[tuple[int, int], bytes] = {}
    for _, frame in scanned(files(home, "taxonomy"), (*PLACE, "raw"), schema("taxonomy"), among=among):
        lake |= {(partition, offset): raw for partition, offset, raw in frame.select(*PLACE, "raw").iter_rows()}
    for record in replay(log, "taxonomy"):
        raw = lake.get((record.partition, record.offset))
        if raw is not None and raw != record.value:
            position = Position("taxonomy", record.partition, record.offset)
            found[position] = Replacement(raw, HEADERS, key=None)
    return found


def _stands(log: EventLog, position: Position, new: Replacement) -> bool:
    batch = log.read(position.topic, position.partition, position.offset, max_records=1)
    return any(record.offset == position.offset and record.value == new.value for record in batch.records)


def _kept(
    log: EventLog,
    home: Home,
    erased: dict[Position, dict[str, object]],
    letters: dict[str, str],
) -> list[Kept]:
    newest: dict[str, list[datetime]] = {}
    for position, row in erased.items():
        arrived = row["received_at"]
        assert isinstance(arrived, datetime), "every row has a time of arrival"
        newest.setdefault(_on_log(position).topic, []).append(arrived)
    for topic in log.topics() if letters else []:
        if topic.endswith(DEAD_LETTER_SUFFIX):
            for record in replay(log, topic):
                if (record.key or b"").decode(errors="replace") in letters:
                    newest.setdefault(topic, []).append(record.appended_at)
    for position in _modes(log, home):
        newest.setdefault(position.topic, [])
    kept: list[Kept] = []
    for topic, arrived in sorted(newest.items()):
        stays = log.kept_for(topic) if isinstance(log, Retaining) else None
        kept.append(Kept(topic, len(arrived), max(arrived) + stays if stays is not None and arrived else None))
    return kept
