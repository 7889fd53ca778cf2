"""What is left of a row, or of a record, once its content is gone. Pure.

The envelope stays: who wrote (a source, not a person), which event, of which type, when, where on the log, from which
import. So a copy that comes again is known for one, and no count breaks. Of a response the ids stay that others point
at, so that what is about it is found also when it comes later.
"""

import base64
import json
from collections.abc import Container
from datetime import datetime
from typing import Any, cast

import polars as pl

from ingest.log.base import Record
from models.events.base import at
from models.events.cloudevents import Headers
from models.ids import canonical_json

HEADER = "flywheel.erased"
"""The header of a record that was erased on the log; its value is the request's key."""

ENVELOPE = (
    "topic", "log_partition", "log_offset", "received_at", "event_id", "source", "type", "occurred_at", "import_id",
    "import_row", "repaired", "error", "erased",
)  # fmt: skip
LINKS = ("response_id", "rollout_id", "message_id", "trace_id", "span_id", "conversation_id")
"""Of a response and a rollout: what feedback may point at."""
ATTRIBUTES = {"id": "event_id", "source": "source", "type": "type", "importid": "import_id", "importrow": "import_row"}
"""Attribute of a tombstone -> column. The time stands beside them."""
ERASED = "erased"
"""The `error` of a row that was no event: its own reason may quote what it was about."""


def blank(frame: pl.DataFrame, topic: str, request: pl.Expr) -> pl.DataFrame:
    """`frame` without the content of the rows for which `request`, the key of a request, is not null.

    Rows that lost theirs before stay as they are.
    """
    erased = pl.col("erased").fill_null(request)
    kept = {*ENVELOPE, *(LINKS if topic == "responses" else ())}
    gone = request.is_not_null()
    emptied = [
        pl.when(gone).then(None).otherwise(pl.col(name)).alias(name) for name in frame.columns if name not in kept
    ]
    error = pl.when(gone & pl.col("error").is_not_null()).then(pl.lit(ERASED)).otherwise(pl.col("error"))
    return frame.with_columns(*emptied, error.alias("error"), erased.alias("erased"))


def tombstone(row: dict[str, Any]) -> tuple[bytes, tuple[tuple[str, bytes], ...]]:
    """Value and headers that stand on the log for an erased `row` (ENVELOPE): no event, but known for what it was."""
    said: dict[str, Any] = {"specversion": "1.0", "data": None}
    said |= {attribute: row[column] for attribute, column in ATTRIBUTES.items() if row[column] is not None}
    if row["occurred_at"] is not None:
        said["time"] = at(cast(datetime, row["occurred_at"]))
    return canonical_json(said).encode(), ((HEADER, str(row["erased"]).encode()),)


def is_tombstone(record: Record) -> bool:
    """Whether a record was erased."""
    return any(name == HEADER for name, _ in record.headers)


def told_by_tombstones(frame: pl.DataFrame, requests: Container[str]) -> pl.DataFrame:
    """`frame` with the rows of records that were erased on the log as `blank` had left them.

    A tombstone is no event, so it is looked for among the rows with an error alone; and it names one of `requests`, by
    their keys, else it is what any producer may have written.
    """
    marked = frame.filter(pl.col("error").is_not_null() & pl.col("record_headers").str.contains(HEADER, literal=True))
    told = [row for each in marked.iter_rows(named=True) if (row := _told(each, requests)) is not None]
    if not told:
        return frame
    rows = pl.DataFrame(told, schema={name: frame.schema[name] for name in ENVELOPE})
    rest = frame.join(rows, on=["log_partition", "log_offset"], how="anti")
    return pl.concat([rest, rows], how="diagonal").select(frame.columns).sort("log_partition", "log_offset")


def _told(row: dict[str, Any], requests: Container[str]) -> dict[str, Any] | None:
    try:
        headers = {name: base64.b64decode(value).decode() for name, value in json.loads(row["record_headers"])}
        said: Any = json.loads(row["raw"])
        occurred = datetime.fromisoformat(said["time"]) if "time" in said else None
        if headers[HEADER] not in requests or said["data"] is not None:
            return None
    except (KeyError, TypeError, ValueError):
        return None
    told = {name: row[name] for name in ("topic", "log_partition", "log_offset", "received_at", "repaired")}
    told |= {name: said.get(attribute) for attribute, name in ATTRIBUTES.items()}
    error = None if said.get("type") else ERASED
    return {**told, "occurred_at": occurred, "error": error, "erased": headers[HEADER]}


def with_erased(frame: pl.DataFrame) -> pl.DataFrame:
    """`frame` with the column `erased`, which segments that were written before there was one lack."""
    return frame if "erased" in frame.columns else frame.with_columns(pl.lit(None, dtype=pl.String).alias("erased"))


def packed(headers: Headers) -> str:
    """Headers as the column `record_headers` has them."""
    return json.dumps([[name, base64.b64encode(value).decode()] for name, value in headers])


def unpacked(headers: str | None) -> list[tuple[str, bytes]]:
    """Undo `packed`."""
    return [(name, base64.b64decode(value)) for name, value in json.loads(headers or "[]")]


def inside(row: dict[str, Any]) -> bytes:
    """All that a producer, or the row of a file, has put into a record that is no event, one after the other."""
    parts = [row["record_key"], row["raw"], *(value for _, value in unpacked(row["record_headers"]))]
    parts += [text.encode() for name in ("text", "reason") if (text := row.get(name))]
    return b"\n".join(part for part in parts if part)
