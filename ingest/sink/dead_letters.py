"""Dead letters: rows of the lake that are no events, sent to `<topic>.dlt` with where they stood and why.

Sent once their segment has landed, and before the next one lands, so that only a last segment's can be owed. A file
beside the segments says whose were sent last: a new owner sends none again, but for what was sent and not yet marked.
The key (topic, partition, offset) tells such copies. Dead-letter topics are for people: the sink does not read them.
"""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import polars as pl

from ingest.durable import replace
from ingest.log.base import MAX_ENTRY_BYTES, Entry, EventLog
from models.topics import DEAD_LETTER_SUFFIX

COLUMNS = [
    "topic", "log_partition", "log_offset", "received_at", "error", "record_key", "record_headers", "raw",
]  # fmt: skip

MARK = "dead_letters.sent"

LONGEST_KEY = 1_024
"""Bytes of a record's own key that a dead letter carries; the lake has all of it."""


def entries(bad: pl.DataFrame) -> list[Entry]:
    """One entry per row of `bad` (with `COLUMNS`), pure.

    Value and headers are the record's, unchanged. Added headers: `flywheel.topic`, `.partition`, `.offset`,
    `.timestamp` (RFC 3339), `.reason`, `.key`. What is then larger than the log takes keeps the first part of its
    value, with its full size in `flywheel.cut_from`, and only the added headers: the lake has the whole record.
    A record that was erased since has no bytes, and no dead letter.
    """
    return [_entry(row) for row in bad.select(COLUMNS).drop_nulls("raw").iter_rows(named=True)]


def send(log: EventLog, segment: Path, bad: pl.DataFrame) -> None:
    """Send the dead letters of `segment`, and note that they were sent once the log has acknowledged them."""
    log.append(entries(bad))
    replace(segment.with_name(MARK), segment.name.encode())


def owed(segment: Path) -> bool:
    """Whether nobody has noted that the dead letters of `segment`, the last of its partition, were sent."""
    try:
        return segment.with_name(MARK).read_text() != segment.name
    except FileNotFoundError:
        return True


def _entry(row: dict[str, Any]) -> Entry:
    place = f"{row['topic']}/{row['log_partition']}/{row['log_offset']}"
    appended = cast(datetime, row["received_at"]).astimezone(UTC)
    added: list[tuple[str, bytes]] = [
        ("flywheel.topic", str(row["topic"]).encode()),
        ("flywheel.partition", str(row["log_partition"]).encode()),
        ("flywheel.offset", str(row["log_offset"]).encode()),
        ("flywheel.timestamp", appended.isoformat().encode()),
        ("flywheel.reason", str(row["error"]).encode()),
    ]
    key, value = cast("bytes | None", row["record_key"]), cast("bytes", row["raw"])
    if key is not None and len(key) <= LONGEST_KEY:
        added.append(("flywheel.key", key))
    packed = cast("list[list[str]]", json.loads(row["record_headers"] or "[]"))
    headers = [(name, base64.b64decode(content)) for name, content in packed]
    if len(value) > MAX_ENTRY_BYTES - len(place) - _size(headers + added):
        headers = [("flywheel.cut_from", str(len(value)).encode())]
        value = value[: MAX_ENTRY_BYTES - len(place) - _size(headers + added)]
    return Entry(f"{row['topic']}{DEAD_LETTER_SUFFIX}", place, value, tuple(headers + added))


def _size(headers: list[tuple[str, bytes]]) -> int:
    return sum(len(name.encode()) + len(content) for name, content in headers)
