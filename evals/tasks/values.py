# pyright: basic
"""Values as JSON, so that what a call gave in one process is compared in another. Standard library alone: this file is
put into rooms, where it encodes; nothing from a room is ever unpickled or evaluated.

Equal values give equal JSON, and different ones, or equal ones of different types, different JSON: `1`, `1.0` and
`True` differ, and an object that says it equals everything is only what it is. Left out: values without an end (an
iterator gives its first ITEMS), and what can't be told apart by type, items and attributes.
"""

import datetime
import decimal
import fractions
import json
import math
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from typing import Any, cast

ITEMS = 200
"""Of an iterator, so many are looked at."""
DEPTH = 12
MAX_TEXT = 20_000

Json = Any

PLAIN = (bool, str, type(None))
NUMBERS = {"int": int, "float": float, "complex": complex, "decimal": decimal.Decimal, "fraction": fractions.Fraction}
SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {"list": list, "tuple": tuple}
SETS: dict[str, Callable[[list[Any]], Any]] = {"set": set, "frozenset": frozenset}


class NotPlain(ValueError):
    """A value that can't be sent into a room, or that has no end."""


def encode(value: Any, depth: int = 0) -> Json:
    """`value` as JSON. Consumes an iterator. Raises NotPlain beyond DEPTH or MAX_TEXT."""
    if depth > DEPTH:
        raise NotPlain(f"nested more than {DEPTH} deep")
    kind = type(value)
    if kind in PLAIN:
        if kind is str and len(value) > MAX_TEXT:
            raise NotPlain(f"a text of {len(value)} characters")
        return value
    for name, of in NUMBERS.items():
        if kind is of:
            return {name: repr(value) if kind in (float, complex) else str(value)}
    if kind in (bytes, bytearray):
        return {kind.__name__: value.hex()}
    for name, of in SEQUENCES.items():
        if kind is of:
            return {name: [encode(each, depth + 1) for each in value]}
    for name, of in SETS.items():
        if kind is of:
            return {name: sorted((encode(each, depth + 1) for each in value), key=canonical)}
    if kind is dict:
        return {"dict": [[encode(key, depth + 1), encode(each, depth + 1)] for key, each in value.items()]}
    if kind is range:
        return {"range": [value.start, value.stop, value.step]}
    if kind is slice:
        return {"slice": [encode(each, depth + 1) for each in (value.start, value.stop, value.step)]}
    if kind in (datetime.date, datetime.datetime, datetime.time):
        return {kind.__name__: value.isoformat()}
    if kind is datetime.timedelta:
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    if isinstance(value, type):
        return {"class": f"{value.__module__}:{value.__qualname__}"}
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)):
        return {"function": f"{getattr(value, '__module__', None) or 'builtins'}:{value.__qualname__}"}
    if isinstance(value, Iterator):
        return {"iterator": [encode(each, depth + 1) for each in islice(cast("Iterator[Any]", value), ITEMS)]}
    return _object(value, kind, depth)


def _object(value: Any, kind: type, depth: int) -> Json:
    """An object of a class: what it is, what it holds as a container, and its attributes. Asks none of its operators
    for an opinion."""
    told: dict[str, Json] = {"object": f"{kind.__module__}:{kind.__qualname__}"}
    for base in (dict, list, tuple, set, frozenset, str, int, float, bytes):
        if isinstance(value, base):
            plain: Any = dict(dict.items(cast("dict[Any, Any]", value))) if base is dict else base(cast(Any, value))
            told["as"] = encode(plain, depth + 1)
            break
    state: dict[str, Any] = {}
    with suppress(AttributeError):
        state.update(object.__getattribute__(value, "__dict__"))
    for owner in kind.__mro__:
        names = owner.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            try:
                state[name] = object.__getattribute__(value, name)
            except AttributeError:
                continue
    told["has"] = [[name, encode(state[name], depth + 1)] for name in sorted(state) if not name.startswith("__")]
    return told


def decode(told: Json) -> Any:
    """The value that `encode` told. Raises NotPlain for objects: those can be compared, not made.

    Classes and functions are looked up by name: call it on what was recorded from a trusted tree, never on an answer.
    """
    if not isinstance(told, dict):
        return told
    said = cast("dict[str, Any]", told)
    name: str = next(iter(said)) if len(said) == 1 else ""
    inner: Any = said.get(name)
    match name:
        case "int" | "float" | "complex" | "decimal" | "fraction":
            return NUMBERS[name](inner)
        case "bytes":
            return bytes.fromhex(inner)
        case "bytearray":
            return bytearray.fromhex(inner)
        case "list" | "tuple":
            return SEQUENCES[name]([decode(each) for each in inner])
        case "set" | "frozenset":
            return SETS[name]([decode(each) for each in inner])
        case "dict":
            return {decode(key): decode(each) for key, each in inner}
        case "range":
            return range(*inner)
        case "slice":
            return slice(*(decode(each) for each in inner))
        case "date" | "datetime" | "time":
            return getattr(datetime, name).fromisoformat(inner)
        case "timedelta":
            return datetime.timedelta(*inner)
        case "iterator":
            return iter([decode(each) for each in inner])
        case "class" | "function":
            module, _, path = inner.partition(":")
            found: Any = import_module(module)
            for part in path.split("."):
                if part == "<locals>" or not hasattr(found, part):
                    raise NotPlain(f"{inner} can't be found by its name")
                found = getattr(found, part)
            return found
        case _:
            raise NotPlain(f"{str(told)[:80]} can be compared, not made")


def canonical(told: Json) -> str:
    """`told` as one text: equal texts, equal values."""
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def same(one: Json, other: Json, relative: float = 1e-9) -> bool:
    """Whether two encoded values are the same, floats within `relative`, dicts whatever the order of their keys."""
    if isinstance(one, dict) and isinstance(other, dict):
        mine, theirs = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        if mine.keys() != theirs.keys():
            return False
        if mine.keys() == {"float"}:
            a, b = float(mine["float"]), float(theirs["float"])
            return math.isclose(a, b, rel_tol=relative, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))
        if mine.keys() == {"dict"}:
            return same(sorted(mine["dict"], key=canonical), sorted(theirs["dict"], key=canonical), relative)
        return all(same(mine[key], theirs[key], relative) for key in mine)
    if isinstance(one, list) and isinstance(other, list):
        mine, theirs = cast("list[Any]", one), cast("list[Any]", other)
        return len(mine) == len(theirs) and all(same(a, b, relative) for a, b in zip(mine, theirs, strict=True))
    return type(one) is type(other) and one == other
