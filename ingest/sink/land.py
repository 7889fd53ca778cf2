"""Log records to rows of the lake, pure. A record that is no event of its topic is a row with an `error`.

Content decides nothing but its own row: whatever bytes a record holds, the records beside it land.
"""

import base64
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from ingest.lake.columns import flatten, schema
from ingest.log.base import Record
from models.errors import BadEvent
from models.events import dump, parse
from models.unicode import printable

INT64 = range(-(2**63), 2**63)
LONGEST_REASON = 500
"""Characters of an `error`."""


def rows(records: Sequence[Record], topic: str) -> pl.DataFrame:
    """One row per record, in their order, with the columns of `schema(topic)`.

    `error` is null for an event. Else it is the reason in one line, `raw` has the bytes, and `canonical` and the
    payload's columns are null.
    """
    wanted = schema(topic)
    columns: dict[str, list[Any]] = {name: [None] * len(records) for name in wanted}
    columns["topic"] = [topic] * len(records)
    columns["log_partition"] = [record.partition for record in records]
    columns["log_offset"] = [record.offset for record in records]
    columns["received_at"] = [record.appended_at for record in records]
    columns["record_key"] = [record.key for record in records]
    columns["record_headers"] = [_packed(record.headers) for record in records]
    columns["raw"] = [record.value for record in records]
    for row, record in enumerate(records):
        for name, value in _read(record, topic).items():
            columns[name][row] = value
    return pl.DataFrame(columns, schema=wanted)


def _read(record: Record, topic: str) -> dict[str, Any]:
    """What the columns hold that come from the record's content."""
    try:
        event = parse(record.value, record.headers)
        if event.topic != topic:
            raise BadEvent(f"{event.type} belongs on topic {event.topic}, and came on {topic}")
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
            "canonical": dump(event).decode(),
        }
    except BadEvent as error:
        return {"error": _line(str(error))}
    except (ValueError, OverflowError, RecursionError) as error:
        # What content can provoke past the door, in a form that no event has: not a number inside a spec's arguments,
        # half a surrogate in a name, nesting without end.
        return {"error": _line(f"has no canonical form: {error}")}
    for name, value in values.items():
        if type(value) is int and value not in INT64:
            return {"error": _line(f"{event.type}: {name} is {value:.3e}, beyond a 64-bit integer")}
    return values


@lru_cache(maxsize=1_024)
def _packed(headers: tuple[tuple[str, bytes], ...]) -> str:
    """Headers as `record_headers` has them. Kept, since most records have the same."""
    return json.dumps([[name, base64.b64encode(value).decode()] for name, value in headers])


def _line(reason: str) -> str:
    """One line that any column and header can hold: no lone surrogates, no line ends, not too long."""
    line = " ".join(printable(reason).split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 3]}..."
