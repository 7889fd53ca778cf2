"""The limit of `benchmarks.ingest`: bytes to typed Parquet with nothing between msgspec and pyarrow."""

import os
from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, Union, cast

import msgspec
import polars as pl
import pyarrow  # pyright: ignore[reportMissingTypeStubs]
import pyarrow.parquet  # pyright: ignore[reportMissingTypeStubs]

from benchmarks.ingest_input import TOPIC
from ingest.lake.columns import payload_columns
from ingest.sink.twins import Model, Twin, twins

pa, pq = cast(Any, pyarrow), cast(Any, pyarrow.parquet)  # it has no types

ARROW: dict[Any, Any] = {
    pl.String: pa.string(), pl.Int64: pa.int64(), pl.Float64: pa.float64(), pl.Boolean: pa.bool_(),
}  # fmt: skip


def _envelope(name: str, twin: Twin) -> Any:
    """The attributes that become columns, and the same payload type that the sink decodes into."""
    fields: list[Any] = [("id", str), ("source", str), ("data", twin.payload.said), ("time", datetime | None, None)]
    return msgspec.defstruct(f"Limit{twin.event.__name__}", fields, tag_field="type", tag=name, gc=False)


def _getters(model: Model, path: str, column: str, optional: frozenset[str]) -> dict[str, tuple[Any, bool]]:
    """Column -> how to get it from an event, and whether what it is in may be missing."""
    found: dict[str, tuple[Any, bool]] = {}
    for field in model.fields:
        if field.model is not None and not field.is_tuple:
            inner = _getters(field.model, f"{path}.{field.name}", f"{column}{field.name}_", frozenset())
            found |= {name: (get, field.name in optional) for name, (get, _) in inner.items()}
        else:
            found[f"{column}{field.name}"] = (attrgetter(f"{path}.{field.name}"), False)
    return found


def _optional(twin: Twin) -> frozenset[str]:
    return frozenset(name for name, field in twin.event.model_fields.items() if not field.is_required())


KNOWN = {name.decode(): twin for name, twin in twins(TOPIC).items()}
TYPES = {_envelope(name, twin): name for name, twin in KNOWN.items()}
DECODE: Callable[[bytes], Any] = msgspec.json.Decoder(cast(Any, Union[tuple(TYPES)])).decode  # noqa: UP007
GETTERS = {kind: _getters(KNOWN[name].payload, "data", "", _optional(KNOWN[name])) for kind, name in TYPES.items()}


def write(values: list[bytes], folder: Path, number: int) -> int:
    """A Parquet file for each type in `values`, on the disk when this returns; how many values are no events."""
    taken: dict[type, tuple[list[Any], list[bytes]]] = {kind: ([], []) for kind in TYPES}
    bad = 0
    for value in values:
        try:
            event = DECODE(value)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            bad += 1
            continue
        events, raw = taken[type(event)]
        events.append(event)
        raw.append(value)
    for kind, (events, raw) in taken.items():
        if events:
            name = TYPES[kind]
            path = folder / f"{number}.{name}.parquet"
            pq.write_table(
                _table(kind, events, raw), path, compression="zstd", compression_level=1, use_dictionary=["source"]
            )
            with path.open("rb") as written:
                os.fsync(written.fileno())
    return bad


def _table(kind: type, events: list[Any], raw: list[bytes]) -> Any:
    columns: dict[str, Any] = {
        "event_id": pa.array([event.id for event in events], pa.string()),
        "source": pa.array([event.source for event in events], pa.string()),
        "occurred_at": pa.array([event.time for event in events], pa.timestamp("us", "UTC")),
        "raw": pa.array(raw, pa.binary()),
    }
    types = payload_columns(TOPIC)
    for name, (get, may_miss) in GETTERS[kind].items():
        found: list[Any] = list(map(_or_none(get) if may_miss else get, events))
        columns[name] = pa.array(found, ARROW[types[name]])
    return pa.table(columns)


def _or_none(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def got(event: Any) -> Any:
        try:
            return get(event)
        except AttributeError:  # what it is in is not there
            return None

    return got
