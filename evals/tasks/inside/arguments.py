"""The arguments of a call that is about to begin, by value. Nothing is consumed: of iterators only those are told that
can be copied. A function that can't be found by name outside of tests is told as `{"callable": n}`, n its arguments."""

import copy
import datetime
import decimal
import fractions
import sys
import types
from itertools import islice
from typing import Any, cast

from evals.tasks.values import DEPTH, Json, NotPlain, encode

COPIED = tuple(type(iter(each)) for each in ([], (), "", b"", range(0), {}, set()))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
PLAIN = {
    bool, str, type(None), int, float, complex, decimal.Decimal, fractions.Fraction, bytes, bytearray, range,
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta,
}  # fmt: skip
WRAPPED = ("__func__", "__wrapped__", "func", "_func")
"""Attributes in which a wrapper keeps what it wraps."""
MOST = 100
"""Elements of a container; longer ones are not told."""


def arguments(frame: types.FrameType) -> tuple[str, Any, dict[str, Any]] | None:
    """(qualname, the object of a method or None, args and kwargs); None where they can't be told.

    Arguments that are the defaults are left out.
    """
    code, local = frame.f_code, frame.f_locals
    function = _function(frame)
    if function is None:
        return None
    count, first = code.co_argcount, None
    names = list(code.co_varnames[: count + code.co_kwonlyargcount])
    positional, only = names[:count], names[count:]
    if any(name not in local for name in names):
        return None
    owner = code.co_qualname.rpartition(".")[0]
    if owner and positional and not isinstance(function[1], staticmethod):
        first = local[positional[0]]
        positional = positional[1:]
        if isinstance(function[1], classmethod):
            first = None
    given = function[0]
    defaults: dict[str, Any] = dict(zip(reversed(names[:count]), reversed(given.__defaults__ or ()), strict=False))
    defaults |= given.__kwdefaults__ or {}
    try:
        args: list[Json] = []
        kwargs: dict[str, Json] = {}
        rest = code.co_varnames[count + code.co_kwonlyargcount] if code.co_flags & 0x4 else None
        more = local.get(rest, ()) if rest else ()
        for place, name in enumerate(positional):
            if not more and name in defaults and local[name] is defaults[name]:
                continue
            if len(args) == place:
                args.append(told(local[name]))
            elif name in code.co_varnames[: code.co_posonlyargcount]:
                return None
            else:
                kwargs[name] = told(local[name])
        args += [told(each) for each in more]
        for name in only:
            if not (name in defaults and local[name] is defaults[name]):
                kwargs[name] = told(local[name])
        if code.co_flags & 0x8:
            named = local.get(code.co_varnames[count + code.co_kwonlyargcount + bool(rest)], {})
            kwargs |= {name: told(each) for name, each in named.items()}
    except (NotPlain, RecursionError):
        return None
    return code.co_qualname, first, {"args": args, "kwargs": kwargs}


def _function(frame: types.FrameType) -> tuple[types.FunctionType, Any] | None:
    """The function whose code runs, and what stands in its place in its class or module."""
    module = sys.modules.get(frame.f_globals.get("__name__", ""))
    *owners, name = frame.f_code.co_qualname.split(".")
    place: Any = module
    for owner in owners:
        place = getattr(place, "__dict__", {}).get(owner)
    raw = getattr(place, "__dict__", {}).get(name)
    seen: Any = raw
    for _ in range(6):
        if isinstance(seen, property):
            seen = seen.fget
        if isinstance(seen, types.FunctionType) and seen.__code__ is frame.f_code:
            return seen, raw
        seen = next((inner for way in WRAPPED if (inner := getattr(seen, way, None))), None)
    return None


def told(value: Any, depth: int = 0) -> Json:
    """`value` as JSON, without consuming it. Raises NotPlain."""
    if depth > DEPTH:
        raise NotPlain("too deep")
    kind = cast("Any", type(value))
    if kind in COPIED:
        return {"iterator": [told(each, depth + 1) for each in islice(copy.copy(value), MOST)]}
    if kind in (list, tuple, set, frozenset, dict):
        if len(value) > MOST:
            raise NotPlain("too long")
        if kind is dict:
            return {"dict": [[told(key, depth + 1), told(each, depth + 1)] for key, each in value.items()]}
        inner = [told(each, depth + 1) for each in value]
        return {kind.__name__: sorted(inner, key=repr) if kind in (set, frozenset) else inner}
    if isinstance(value, types.FunctionType):
        module = value.__module__ or ""
        if "<" in value.__qualname__ or not found_outside_tests(module):
            return {"callable": value.__code__.co_argcount}
        return encode(value)
    if isinstance(value, type):
        if "<" in value.__qualname__ or not found_outside_tests(value.__module__):
            raise NotPlain("a class of the tests")
        return encode(value)
    if kind in PLAIN or isinstance(value, types.BuiltinFunctionType | types.MethodDescriptorType):
        return encode(value)
    raise NotPlain("an object")  # looking into one could use up what it holds


def found_outside_tests(module: str) -> bool:
    """Whether it can be imported by name without bringing in tests."""
    return not any(
        part.startswith(("test_", "conftest", "__main__")) or part in ("tests", "test") for part in module.split(".")
    )
