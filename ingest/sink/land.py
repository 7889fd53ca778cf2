"""Log records to rows of the lake, pure. A record that is no event of its topic is a row with an `error`.

Content decides nothing but its own row: whatever bytes a record holds, the records beside it land. What `bulk` takes is
read many at a time; what it leaves is looked at one by one, with the same answer.
"""

import base64
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from ingest.lake.columns import flatten, schema
from ingest.log.base import EPOCH, MICROSECOND, Columns, Headers, Record
from ingest.sink.bulk import Bulk, bulk
from models.errors import BadEvent
from models.events import dump, parse
from models.unicode import printable

OF_RECORD = ("topic", "log_partition", "log_offset", "received_at", "record_key", "record_headers", "raw")
"""Columns that a record has whatever its content is."""

INT64 = range(-(2**63), 2**63)
LONGEST_REASON = 500
"""Characters of an `error`."""


def rows(records: Sequence[Record], topic: str, *, in_bulk: bool = True) -> pl.DataFrame:
    """`landed` for records of any partitions. Without `in_bulk` each is looked at by itself: slower, and the same."""
    partitions = pl.Series("log_partition", [record.partition for record in records], dtype=pl.Int32)
    return landed(Columns.of(records), topic, 0, in_bulk=in_bulk).with_columns(partitions)


def landed(columns: Columns, topic: str, partition: int, *, in_bulk: bool = True) -> pl.DataFrame:
    """One row per record, in their order, with the columns of `schema(topic)`.

    `error` is null for an event. Else it is the reason in one line, `raw` has the bytes, and the payload's columns are
    null. `canonical` is null for both an error and an event whose `raw` is the canonical form.
    """
    size = len(columns.values)
    found = bulk(columns.values, columns.headers, topic) if in_bulk else Bulk([], list(range(size)))
    pieces = [_content(piece.columns, len(piece.rows), topic) for piece in found.pieces]
    if found.odd or not size:
        read = [_read(columns.values[row], columns.headers[row], topic) for row in found.odd]
        names = {name for each in read for name in each}
        pieces.append(_content({name: [each.get(name) for each in read] for name in names}, len(read), topic))
    content = pl.concat(pieces) if len(pieces) > 1 else pieces[0]
    order = [row for piece in found.pieces for row in piece.rows] + found.odd
    if len(pieces) > 1:
        content = content[pl.Series(order, dtype=pl.UInt32).arg_sort()]
    received = pl.Series(columns.appended_us, dtype=pl.Int64).cast(schema(topic)["received_at"])
    record = {
        "topic": pl.repeat(topic, size, dtype=pl.String, eager=True),
        "log_partition": pl.repeat(partition, size, dtype=pl.Int32, eager=True),
        "log_offset": pl.Series(columns.offsets, dtype=pl.Int64),
        "received_at": received,
        "record_key": pl.Series(columns.keys, dtype=pl.Binary),
        "record_headers": pl.Series([_packed(each) for each in columns.headers], dtype=pl.String),
        "raw": pl.Series(columns.values, dtype=pl.Binary),
    }
    return pl.DataFrame({name: record[name] if name in record else content[name] for name in schema(topic)})


def _content(columns: dict[str, list[Any]], size: int, topic: str) -> pl.DataFrame:
    """The columns that come from content, with null where `columns` has none."""
    made: dict[str, pl.Series] = {}
    for name, kind in schema(topic).items():
        if name in OF_RECORD:
            continue
        if name not in columns:
            made[name] = pl.Series(name, [None], dtype=kind).new_from_index(0, size)
        elif isinstance(kind, pl.Datetime):
            # As numbers: polars takes 1 us for each datetime, a fourth of what all else does.
            micros = [None if moment is None else (moment - EPOCH) // MICROSECOND for moment in columns[name]]
            made[name] = pl.Series(name, micros, dtype=pl.Int64).cast(kind)
        else:
            made[name] = pl.Series(name, columns[name], dtype=kind)
    return pl.DataFrame(made)


def _read(value: bytes, headers: Headers, topic: str) -> dict[str, Any]:
    """What the columns hold that come from one record's content."""
    try:
        event = parse(value, headers)
        if event.topic != topic:
            raise BadEvent(f"{event.type} belongs on topic {event.topic}, and came on {topic}")
        canonical = dump(event)
        values = {
            **flatten(event),
            "event_id": event.id,
            "source": event.source,
            "type": event.type,
            "occurred_at": event.occurred_at,
            "import_id": event.import_id,
            "import_row": event.import_row,
            "repaired": event.repaired,
            "content_hash": event.content_hash(),
            "canonical": None if canonical == value else canonical.decode(),
        }
    except BadEvent as error:
        return {"error": _line(str(error))}
    except (ValueError, OverflowError, RecursionError) as error:
        # What content can provoke past the door, in a form that no event has: not a number inside a spec's arguments,
        # half a surrogate in a name, nesting without end.
        return {"error": _line(f"has no canonical form: {error}")}
    for name, content in values.items():
        if type(content) is int and content not in INT64:
            return {"error": _line(f"{event.type}: {name} is {content:.3e}, beyond a 64-bit integer")}
    return values


@lru_cache(maxsize=1_024)
def _packed(headers: Headers) -> str:
    """Headers as `record_headers` has them. Kept, since most records have the same."""
    return json.dumps([[name, base64.b64encode(value).decode()] for name, value in headers])


def _line(reason: str) -> str:
    """One line that any column and header can hold: no lone surrogates, no line ends, not too long."""
    line = " ".join(printable(reason).split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 3]}..."
