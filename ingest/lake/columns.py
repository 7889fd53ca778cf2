"""The typed columns of each topic's segments, worked out from the event models.

A field becomes a column of its own type; a nested model becomes `<field>_<inner>`; lists, maps and specs become JSON
text, which marts read as little of as they can. A field of the same name in two events of a topic has one type.
"""

import types
from datetime import datetime
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin

import polars as pl
from pydantic import BaseModel

from models.events import EVENT_TYPES
from models.events.base import ENVELOPE, Event
from models.ids import canonical_json
from models.specs import Spec

MOMENT = pl.Datetime("us", "UTC")
Type = type[pl.DataType] | pl.DataType

ENVELOPE_COLUMNS: tuple[tuple[str, Type], ...] = (
    ("topic", pl.String),
    ("log_partition", pl.Int32),
    ("log_offset", pl.Int64),
    ("received_at", MOMENT),
    ("event_id", pl.String),
    ("source", pl.String),
    ("type", pl.String),
    ("occurred_at", MOMENT),
    ("import_id", pl.String),
    ("import_row", pl.Int64),
    ("repaired", pl.Boolean),
    ("content_hash", pl.String),
    ("error", pl.String),
    ("erased", pl.String),
    ("record_key", pl.Binary),
    ("record_headers", pl.String),
    ("raw", pl.Binary),
    ("canonical", pl.String),
)
"""What every segment has. `error` says why a record is no event, and is null for one.

`canonical` is the event in its newest form, where `raw` is not that already: an old version, binary mode, repaired
text, a name that is not known, a value that is not quite of its type. Null: read `raw` (the `raw` views do).

`erased` names the request by which the record lost its content: what is left of it are its envelope and the ids that
link responses, and `error` says only that it was no event, where it was none.

`record_key`, `record_headers` (JSON: [[name, value in base64], ...]) and `raw` are the record as the log had it.
"""


@cache
def payload_columns(topic: str) -> dict[str, Type]:
    """Column name -> type for the payloads of all events of `topic`, sorted by name."""
    columns: dict[str, Type] = {}
    for event_type in EVENT_TYPES:
        if event_type.topic != topic:
            continue
        for name, kind in _columns(event_type, "", ENVELOPE).items():
            if columns.setdefault(name, kind) != kind:
                raise TypeError(f"{topic}.{name} is {columns[name]} in one event and {kind} in {event_type.__name__}")
    return dict(sorted(columns.items()))


@cache
def schema(topic: str) -> pl.Schema:
    """The schema of the segments of `topic`."""
    return pl.Schema([*ENVELOPE_COLUMNS, *payload_columns(topic).items()])


def flatten(event: Event) -> dict[str, Any]:
    """The payload of `event` as column values."""
    return _values(event, "", ENVELOPE)


def _columns(model: type[BaseModel], prefix: str, left_out: frozenset[str] = frozenset()) -> dict[str, Type]:
    columns: dict[str, Type] = {}
    for name, inner in _fields(model, left_out):
        if inner is not None:
            columns |= _columns(inner, f"{prefix}{name}_")
        else:
            columns[f"{prefix}{name}"] = _arrow(model.model_fields[name].annotation)
    return columns


def _values(model: BaseModel, prefix: str, left_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, inner in _fields(type(model), left_out):
        value: object = getattr(model, name)
        if inner is not None:
            values |= {} if value is None else _values(cast(BaseModel, value), f"{prefix}{name}_")
        elif isinstance(value, BaseModel | tuple | list | dict):
            values[f"{prefix}{name}"] = canonical_json(_plain(cast(Any, value)))
        else:
            values[f"{prefix}{name}"] = value
    return values


@cache
def _fields(model: type[BaseModel], left_out: frozenset[str]) -> tuple[tuple[str, type[BaseModel] | None], ...]:
    """The fields of `model` with the model to spread over columns, where there is one. Kept: every row asks."""
    return tuple(
        (name, _nested(field.annotation)) for name, field in model.model_fields.items() if name not in left_out
    )


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in cast(list[Any], value)]
    return value


def _members(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of a union without None; the annotation alone otherwise."""
    if hasattr(annotation, "__metadata__"):
        return _members(annotation.__origin__)
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(inner for part in get_args(annotation) for inner in _members(part) if inner is not types.NoneType)
    return (annotation,)


def _nested(annotation: Any) -> type[BaseModel] | None:
    """The model to spread over columns; specs stay whole, as JSON."""
    members = _members(annotation)
    if len(members) == 1 and isinstance(members[0], type) and issubclass(members[0], BaseModel):
        return None if issubclass(members[0], Spec) else members[0]
    return None


def _arrow(annotation: Any) -> Type:
    member = _members(annotation)[0]
    if get_origin(member) is Literal:
        return pl.String
    kinds: dict[Any, Type] = {
        bool: pl.Boolean,
        int: pl.Int64,
        float: pl.Float64,
        datetime: MOMENT,
    }
    return kinds.get(member, pl.String)
