"""A msgspec twin of each event model: takes less than the model does, many times faster, and never anything else.

What a twin takes has exactly the model's answer; what it refuses (an unknown field, a number written as text, another
time than RFC 3339) is for the model to decide. A model with a rule that is not known here gets no twin: its events are
all looked at one by one. Left out: old versions, binary mode, repair.
"""

import dataclasses
import re
import types
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Union, cast, get_args, get_origin

import msgspec
from annotated_types import Gt, MinLen
from msgspec import UNSET, Meta, Struct
from pydantic import BaseModel, StringConstraints
from pydantic.fields import FieldInfo

from models.events import EVENT_TYPES
from models.events.base import ENVELOPE, Event
from models.specs import Spec

INT = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
KNOWN_SETTINGS = {"frozen", "extra", "allow_inf_nan"}

encode = msgspec.json.Encoder().encode
encode_lines = msgspec.json.Encoder().encode_lines
"""Structs to JSON. Equal to `canonical_json`, byte by byte, for all but some floats (see `bulk`)."""


class Field(NamedTuple):
    """A field of a model, as its twin has it."""

    name: str
    model: "Model | None"
    """Of a nested model, and of the members of a tuple of models."""
    is_tuple: bool
    is_float: bool
    """A number, or a tuple of numbers, that need not be whole."""
    default: Any
    """UNSET where there is none, or where msgspec knows it again by itself."""


class Model(NamedTuple):
    """The twin of a pydantic model. Fields are sorted by name."""

    said: type[Struct]
    """Decoded into. Writes what is not at its default, as `content_hash` does."""
    full: type[Struct]
    """Writes every field, as the columns of the lake do."""
    fields: tuple[Field, ...]


class Twin(NamedTuple):
    """The twin of an event class."""

    event: type[Event]
    decode: Callable[[bytes], Any]
    """Value of a record in structured mode -> envelope, with the payload as `data`. Raises msgspec.MsgspecError."""
    payload: Model
    key: str
    """The payload's column that holds the record's key."""


class Unknown(Exception):
    """A rule of a model that its twin could not follow."""


@cache
def twins(topic: str) -> dict[bytes, Twin]:
    """Type name -> twin, for the events of `topic` that have one."""
    found: dict[bytes, Twin] = {}
    for event in EVENT_TYPES:
        if event.topic == topic and (twin := twin_of(event)):
            found[_tag(event).encode()] = twin
    return found


@cache
def twin_of(event: type[Event]) -> Twin | None:
    """The twin of `event`; None where the model has a rule that a twin can't follow."""
    try:
        payload = _model(event, ENVELOPE)
        name = _kind(event.model_fields["id"].annotation, event.model_fields["id"].metadata)
    except Unknown:
        return None
    envelope = msgspec.defstruct(
        f"{event.__name__}Envelope",
        [
            ("data", payload.said),
            ("datacontenttype", str, ""),
            ("dataschema", str, ""),
            ("id", name),
            ("importid", name | None, None),
            ("importrow", INT | None, None),
            ("repaired", bool, False),
            ("source", name),
            ("specversion", Literal["1.0"]),
            ("subject", str, ""),
            ("time", str | None, None),
            ("type", Literal[_tag(event)]),
        ],
        forbid_unknown_fields=True,
        omit_defaults=True,
        kw_only=True,
        gc=False,
    )
    keyed = next(field for field in payload.fields if field.name == event.key_field)
    key = f"{keyed.name}_id" if keyed.model else keyed.name
    return Twin(event, msgspec.json.Decoder(envelope).decode, payload, key)


def _tag(event: type[Event]) -> str:
    return str(event.model_fields["type"].default)


def _model(model: type[BaseModel], left_out: frozenset[str] = frozenset()) -> Model:
    if model.model_config.keys() - KNOWN_SETTINGS or _has_code(model):
        raise Unknown(model)
    fields: list[Field] = []
    said: list[Any] = []
    full: list[Any] = []
    for name, info in sorted(model.model_fields.items()):
        if name in left_out:
            continue
        kind, inner, is_tuple = _field(info)
        default = UNSET if info.is_required() else _same(info)
        said.append((name, kind) if default is UNSET else (name, kind, default))
        full.append((name, list[inner.full] | None if inner and is_tuple else Any))
        known_again = default is UNSET or _is_known_again(default, info)
        is_float = _is_float(info.annotation)
        fields.append(Field(name, inner, is_tuple, is_float, UNSET if known_again else default))
    return Model(
        # Names that are not known are refused: what is skipped is not looked at closely enough to agree with `json`.
        msgspec.defstruct(model.__name__, said, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, gc=False),
        msgspec.defstruct(f"{model.__name__}Full", full, kw_only=True, gc=False),
        tuple(fields),
    )


def _same(info: FieldInfo) -> Any:
    """The default: of a literal the very object that a decoder gives, since msgspec compares by identity."""
    for member in _members(info.annotation)[0]:
        if get_origin(member) is Literal and info.default is not None:
            return next(value for value in get_args(member) if value == info.default)
    return info.default


def _is_known_again(default: Any, info: FieldInfo) -> bool:
    """Whether a decoder gives the very object that is the default."""
    is_literal = any(get_origin(member) is Literal for member in _members(info.annotation)[0])
    return default is None or is_literal or type(default) is bool or default in ((), "")


def _has_code(model: type[BaseModel]) -> bool:
    """Whether a validator, a serializer or a computed field of its own stands in `model`."""
    decorators = model.__pydantic_decorators__
    return any(getattr(decorators, kind.name) for kind in dataclasses.fields(decorators))


def _field(info: FieldInfo) -> tuple[Any, Model | None, bool]:
    """A field's kind, the nested model, and whether it is a tuple."""
    if info.alias or info.default_factory or info.discriminator or info.exclude or info.validate_default:
        raise Unknown(info)
    members, optional = _members(info.annotation)
    (member,) = members if len(members) == 1 else (None,)
    inner: Model | None = None
    is_tuple = get_origin(member) is tuple
    if is_tuple:
        element = get_args(member)[0]
        if isinstance(element, type) and issubclass(element, BaseModel):
            inner = _model(element)
            if any(field.default is not UNSET for field in inner.fields):
                raise Unknown(info)
            kind = tuple[inner.said, ...]
            kind = _constrained(kind, info.metadata)
            return (kind | None if optional else kind), inner, True
    elif isinstance(member, type) and issubclass(member, BaseModel):
        if info.metadata or issubclass(member, Spec):  # specs stay whole in the lake, and are few
            raise Unknown(info)
        inner = _model(member)
        return (inner.said | None if optional else inner.said), inner, False
    return _kind(info.annotation, info.metadata), None, is_tuple


def _members(annotation: Any) -> tuple[tuple[Any, ...], bool]:
    """The alternatives of a union without None, and whether None was among them."""
    if get_origin(annotation) in (Union, types.UnionType):
        parts = get_args(annotation)
        return tuple(part for part in parts if part is not types.NoneType), types.NoneType in parts
    return (annotation,), False


def _kind(annotation: Any, metadata: list[Any]) -> Any:
    """What msgspec checks for a field of this annotation and these constraints."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        return _kind(inner, [*more, *metadata])
    members, optional = _members(annotation)
    if optional:
        if len(members) != 1 or metadata:
            raise Unknown(annotation)
        return _kind(members[0], []) | None
    if get_origin(annotation) is tuple:
        element, *rest = get_args(annotation)
        if rest != [Ellipsis]:
            raise Unknown(annotation)
        return _constrained(tuple[_kind(element, []), ...], metadata)
    if get_origin(annotation) is Literal:
        if metadata or not all(type(value) is str for value in get_args(annotation)):
            raise Unknown(annotation)
        return annotation
    if annotation in (str, float):
        return _constrained(annotation, metadata)
    if annotation in (int, bool) and not metadata:
        return INT if annotation is int else bool
    raise Unknown(annotation)


def _constrained(kind: Any, metadata: list[Any]) -> Any:
    """`kind` with pydantic's constraints as msgspec's."""
    for rule in metadata:
        if isinstance(rule, MinLen) and kind is not float:
            kind = Annotated[kind, Meta(min_length=rule.min_length)]
        elif isinstance(rule, Gt) and kind is float:
            kind = Annotated[kind, Meta(gt=cast(float, rule.gt))]
        elif isinstance(rule, StringConstraints) and kind is str:
            kind = Annotated[kind, _text_rule(rule)]
        else:
            raise Unknown(rule)
    return kind


def _text_rule(rule: StringConstraints) -> Meta:
    if {name for name, value in vars(rule).items() if value is not None} - {"min_length", "max_length", "pattern"}:
        raise Unknown(rule)
    pattern = rule.pattern
    if pattern is not None:
        # pydantic's `$` is the end; Python's would also stand before a last line end. Other escapes may differ, too.
        if not isinstance(pattern, str) or not re.fullmatch(r"\^[^\\]*\$", pattern):
            raise Unknown(rule)
        pattern = rf"{pattern[:-1]}\Z"
    return Meta(min_length=rule.min_length, max_length=rule.max_length, pattern=pattern)


def _is_float(annotation: Any) -> bool:
    members = _members(annotation)[0]
    return float in members or any(float in get_args(member) for member in members if get_origin(member) is tuple)
