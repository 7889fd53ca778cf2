"""Log records to rows of the lake, pure. A record that is no event of its topic is a row with an `error`.

Content decides nothing but its own row: whatever bytes a record holds, the records beside it land. What `bulk` takes is
read many at a time; what it leaves is looked at one by one, with the same answer.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from ingest.lake.columns import Type, flatten, schema
from ingest.log.base import EPOCH, MICROSECOND, Columns, Headers, Record
from ingest.sink.bulk import bulk
from ingest.uncollected import uncollected
from models.errors import BadEvent
from models.events import dump, parse
from models.unicode import printable

PART = 4_096
INT64 = range(-(2**63), 2**63)
LONGEST_REASON = 500
"""Characters of an `error`."""


def rows(records: Sequence[Record], topic: str, *, in_bulk: bool = True) -> pl.DataFrame:
    """`landed` for records of any partitions. Without `in_bulk` each is looked at by itself: slower, and the same."""
    partitions = pl.Series("log_partition", [record.partition for record in records], dtype=pl.Int32)
    return landed(Columns.of(records), topic, 0, in_bulk=in_bulk).with_columns(partitions)


@uncollected()
def landed(columns: Columns, topic: str, partition: int, *, in_bulk: bool = True) -> pl.DataFrame:
    """One row per record, in their order, with the columns of `schema(topic)`.

    `error` is null for an event. Else it is the reason in one line, `raw` has the bytes, and the payload's columns are
    null. `canonical` is null for an error, and for an event that `raw` has as it is to be read: in structured mode and
    its newest version, every value of its type, no name that is not known.
    """
    size = len(columns.values)
    sizes = [min(PART, size - start) for start in range(0, size, PART)] or [0]
    parts = [_part(part, topic, in_bulk) for part in _parts(columns)]
    same = {"topic": topic, "log_partition": partition}
    return pl.DataFrame(
        [
            _joined(name, kind, parts, sizes)
            if any(name in part for part in parts)
            else pl.Series(name, [same.get(name)], dtype=kind).new_from_index(0, size)
            for name, kind in schema(topic).items()
        ]
    )


def _parts(columns: Columns) -> Iterator[Columns]:
    """A few thousand records at a time: what is made of them on the way stays in the processor's cache."""
    for start in range(0, max(1, len(columns.values)), PART):
        end = start + PART
        yield Columns(
            columns.offsets[start:end],
            columns.appended_us[start:end],
            columns.keys[start:end],
            columns.values[start:end],
            columns.headers[start:end],
            columns.next_offset,
        )


def _part(columns: Columns, topic: str, in_bulk: bool) -> dict[str, pl.Series]:
    """Column -> values, for those that are not the same, or null, in all rows."""
    kinds = schema(topic)
    groups, odd = bulk(columns.values, columns.headers, topic)
    taken = set[int]()
    if not in_bulk:
        taken = set(range(len(columns.values))).difference(odd)
        groups, odd = [], list(range(len(columns.values)))
    pieces = [
        _all_series(group.columns, kinds)
        | {"type": pl.Series("type", [group.type], dtype=kinds["type"]).new_from_index(0, len(group.rows))}
        for group in groups
    ]
    content: dict[str, list[Any]] = {}
    for place, row in enumerate(odd):
        for name, value in _read(columns.values[row], columns.headers[row], topic).items():
            if name != "canonical" or row not in taken:
                content.setdefault(name, [None] * len(odd))[place] = value
    order = [row for group in groups for row in group.rows] + odd
    found = _together([*pieces, _all_series(content, kinds)], [*(len(group.rows) for group in groups), len(odd)], kinds)
    if order != list(range(len(order))):
        back = pl.Series(np.argsort(order).astype(np.uint32))
        found = {name: column.gather(back) for name, column in found.items()}
    every = {
        "log_offset": columns.offsets,
        "received_at": columns.appended_us,
        "record_key": columns.keys,
        "record_headers": _all_packed(columns.headers),
        "raw": columns.values,
    }
    return found | _all_series(every, kinds)


def _all_series(content: dict[str, list[Any]], kinds: pl.Schema) -> dict[str, pl.Series]:
    """The columns that have a value. The others are made at the end, since polars looks at each None in vain."""
    return {
        name: _series(name, kinds[name], values)
        for name, values in content.items()
        if values and (values[0] is not None or values.count(None) < len(values))
    }


def _together(parts: list[dict[str, pl.Series]], sizes: list[int], kinds: pl.Schema) -> dict[str, pl.Series]:
    """The columns that any of `parts` has, over all of them."""
    names = {name: None for part in parts for name in part}
    return {name: _joined(name, kinds[name], parts, sizes) for name in names}


def _series(name: str, kind: Type, values: list[Any]) -> pl.Series:
    """A column of the lake; times come as microseconds, since polars takes 1 us for each datetime."""
    if isinstance(kind, pl.Datetime):
        return pl.Series(name, values, dtype=pl.Int64).cast(kind)
    return pl.Series(name, values, dtype=kind)


def _joined(name: str, kind: Type, parts: list[dict[str, pl.Series]], sizes: list[int]) -> pl.Series:
    """A column over all parts, which let go of it: otherwise all would be held twice."""
    pieces = [
        part.pop(name) if name in part else pl.Series(name, [None], dtype=kind).new_from_index(0, size)
        for part, size in zip(parts, sizes, strict=True)
    ]
    return pieces[0] if len(pieces) == 1 else pl.concat(pieces, rechunk=True)


def _read(value: bytes, headers: Headers, topic: str) -> dict[str, Any]:
    """What the columns hold that come from one record's content."""
    try:
        event = parse(value, headers)
        if event.topic != topic:
            raise BadEvent(f"{event.type} belongs on topic {event.topic}, and came on {topic}")
        values = {
            **flatten(event),
            "event_id": event.id,
            "source": event.source,
            "type": event.type,
            "occurred_at": event.occurred_at and (event.occurred_at - EPOCH) // MICROSECOND,
            "import_id": event.import_id,
            "import_row": event.import_row,
            "repaired": event.repaired,
            "content_hash": event.content_hash(),
            "canonical": dump(event).decode(),
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


def _all_packed(headers: list[Headers]) -> list[str]:
    packed: list[str] = []
    last, text = (), _packed(())
    for each in headers:
        if each is not last:  # mostly it is the very same
            last, text = each, _packed(each)
        packed.append(text)
    return packed


@lru_cache(maxsize=1_024)
def _packed(headers: Headers) -> str:
    """Headers as `record_headers` has them. Kept, since most records have the same."""
    return json.dumps([[name, base64.b64encode(value).decode()] for name, value in headers])


def _line(reason: str) -> str:
    """One line that any column and header can hold: no lone surrogates, no line ends, not too long."""
    line = " ".join(printable(reason).split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 3]}..."
