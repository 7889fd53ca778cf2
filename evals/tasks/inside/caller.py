"""Calls, by value, and what they give, by value: each in a child of its own, so that none knows of another.

    {"calls": [...], "seconds": 2.0, "paths": ["."]}  on standard input
    {"call": 0, "outcome": {...}}                     a line for each that came to an end that can be told

Left out: comparing, which is done outside (`evals.tasks.calls`).
"""

import importlib
import inspect
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from evals.tasks.inside.forks import Tell, adopt, listen
from evals.tasks.values import Json, NotPlain, decode, encode

MEMORY = 2**30
"""Bytes of address space that a call may use."""


def main() -> None:
    """Answer the calls on standard input."""
    adopt()
    asked = json.loads(sys.stdin.buffer.read())
    answers = os.fdopen(os.dup(1), "wb")
    sys.path[:0] = [os.path.realpath(path) for path in asked["paths"]]

    def tell(said: dict[str, Any]) -> None:
        answers.write(json.dumps(said).encode() + b"\n")
        answers.flush()

    for said in listen(lambda told: answer(asked["calls"], asked["seconds"], told), lambda: 60.0 + asked["seconds"]):
        if "ended" not in said:
            tell(said)


def answer(calls: list[dict[str, Any]], seconds: float, tell: Tell, *, new_clocks: bool = False) -> None:
    """Tell the outcome of each call that ends within `seconds`. With `new_clocks` they begin at 1: what a machine's
    clocks said when a call was seen must not be what its outcome hangs on."""
    adopt()
    if new_clocks:
        begin_clocks()
    for module in sorted({call["module"] for call in calls}):
        importlib.import_module(module)
    for index, call in enumerate(calls):
        until = time.monotonic() + seconds
        for said in listen(lambda told, call=call: _one(call, told), lambda until=until: until - time.monotonic()):
            if "outcome" in said:
                tell({"call": index, "outcome": said["outcome"]})


def begin_clocks() -> None:
    """Let the clocks of `time` begin at 1 second, for all who take them from there after this."""
    for name in ("time", "monotonic", "perf_counter"):
        for each, unit in ((name, 1), (f"{name}_ns", 10**9)):
            setattr(time, each, _clock(getattr(time, each), unit))


def _clock(real: Callable[[], Any], unit: int) -> Callable[[], Any]:
    began = real()

    def clock() -> Any:
        return real() - began + unit

    clock.__module__, clock.__qualname__ = "time", real.__name__
    return clock


def _one(call: dict[str, Any], tell: Tell) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.setrecursionlimit(3000)
    try:
        told = outcome(call)
    except BaseException:  # it can't be called, or told: that is no outcome
        return
    tell({"outcome": told})


def outcome(call: dict[str, Any]) -> dict[str, Json]:
    """What one call gives. Raises what making arguments and the object raises, and NotPlain for what can't be told."""
    args: list[Any] = [decode(each) for each in call["args"]]
    kwargs: dict[str, Any] = {name: decode(call["kwargs"][name]) for name in sorted(call["kwargs"])}
    place: Any = importlib.import_module(call["module"])
    *owners, name = call["qualname"].split(".")
    for owner in owners:
        place = getattr(place, owner)
    made = None
    if call.get("build") is not None:
        given, named = call["build"]
        made = place(*map(decode, given), **{key: decode(each) for key, each in named.items()})
        for step, given, named in call.get("before", ()):
            with suppress(Exception):
                getattr(made, step)(*map(decode, given), **{key: decode(each) for key, each in named.items()})
    is_property = made is not None and isinstance(inspect.getattr_static(place, name, None), property)
    told: dict[str, Json] = {"value": None, "raised": None, "after": None}
    try:
        found = getattr(place if made is None else made, name)
        value = found if is_property else found(*args, **kwargs)
        told["value"] = encode(value)
    except (NotPlain, MemoryError):
        raise
    except BaseException as error:
        told["raised"] = f"{type(error).__module__}:{type(error).__qualname__}"
    left = [_after(each) for each in (*args, *kwargs.values())]
    look = made is not None and call.get("look_at_object", True)
    told["after"] = [left, encode(made) if look else None]
    return told


def _after(value: Any) -> Json:
    """An argument afterwards; how much of an iterator was used is nobody's business."""
    return None if hasattr(value, "__next__") else encode(value)
