"""Calls to compare by: those that tests made, and near ones, of the same types but empty, single, negative, larger,
doubled, in another order, or with letters of other scripts. Works on values as JSON (`evals.tasks.values`).

Functions that only a test has are replaced by ones of the standard library that take as many arguments.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from evals.tasks.task import Call
from evals.tasks.values import Json, canonical

CALLABLES: dict[int, tuple[Json, ...]] = {
    0: ({"class": "builtins:list"}, {"class": "builtins:int"}),
    1: (
        {"class": "builtins:str"}, {"function": "operator:neg"}, {"class": "builtins:bool"},
        {"function": "builtins:repr"}, {"function": "operator:not_"}, {"function": "builtins:abs"},
        {"function": "builtins:len"},
    ),
    2: (
        {"function": "operator:add"}, {"function": "builtins:max"}, {"function": "operator:lt"},
        {"function": "operator:mul"},
    ),
    3: ({"function": "builtins:max"},),
}  # fmt: skip
LARGEST = 1000
Step = tuple[str, tuple[Json, ...], dict[str, Json]]
TRIES = 6
"""Near calls for each that was seen."""


def inputs(seen: Sequence[Mapping[str, Any]], chance: random.Random, most: int) -> list[Call]:
    """Up to `most` different calls from those `seen`: first as they were, then near ones, turn by turn."""
    found: dict[str, Call] = {}
    plain = [call for each in seen for call in _with_callables(each, chance)]
    chance.shuffle(plain)
    for call in plain[: max(1, most // 3)]:
        found.setdefault(canonical(call.model_dump()), call)
    for _ in range(TRIES):
        for call in plain:
            if len(found) >= most:
                return list(found.values())
            near = mutated(call, chance)
            found.setdefault(canonical(near.model_dump()), near)
    return list(found.values())


def _with_callables(seen: Mapping[str, Any], chance: random.Random) -> Iterator[Call]:
    for _ in range(3 if "'callable'" in repr(seen) else 1):
        filled = _filled(dict(seen), chance)
        if filled is not None:
            yield Call.model_validate(filled)


def _filled(told: Json, chance: random.Random) -> Json:
    """`told` with a function of the standard library for each that only a test has; None where none fits."""
    if isinstance(told, dict):
        inner = cast("dict[str, Any]", told)
        if inner.keys() == {"callable"}:
            fitting = CALLABLES.get(inner["callable"])
            return chance.choice(fitting) if fitting else None
        made = {key: _filled(value, chance) for key, value in inner.items()}
        return None if any(made[key] is None is not inner[key] for key in made) else made
    if isinstance(told, list | tuple):
        many = [_filled(each, chance) for each in cast("list[Any]", told)]
        return (
            None
            if any(new is None is not old for new, old in zip(many, cast("list[Any]", told), strict=True))
            else many
        )
    return told


def mutated(call: Call, chance: random.Random) -> Call:
    """`call` with one or two arguments changed."""
    args, kwargs = list(call.args), dict(call.kwargs)
    build, before = call.build, call.before
    for _ in range(chance.choice((1, 1, 2))):
        spots: list[int | str] = [*range(len(args)), *kwargs]
        if before and chance.random() < 0.4:
            before = _steps(before, chance)
        elif build and (not spots or chance.random() < 0.2):
            given, named = list(build[0]), dict(build[1])
            if given:
                at = chance.randrange(len(given))
                given[at] = near(given[at], chance)
            build = (tuple(given), named)
        elif spots:
            spot = chance.choice(spots)
            if isinstance(spot, int):
                args[spot] = near(args[spot], chance)
            else:
                kwargs[spot] = near(kwargs[spot], chance)
    return call.model_copy(update={"args": tuple(args), "kwargs": kwargs, "build": build, "before": before})


def _steps(before: tuple[Step, ...], chance: random.Random) -> tuple[Step, ...]:
    """Other steps before a call: one less, or one with another argument."""
    at = chance.randrange(len(before))
    name, args, kwargs = before[at]
    if not args or chance.random() < 0.3:
        return before[:at] + before[at + 1 :]
    spot = chance.randrange(len(args))
    new = (*args[:spot], near(args[spot], chance), *args[spot + 1 :])
    return (*before[:at], (name, new, kwargs), *before[at + 1 :])


def near(told: Json, chance: random.Random) -> Json:
    """Another value of the same type; the same one where there is none."""
    if isinstance(told, bool):
        return not told
    if isinstance(told, str):
        return chance.choice(_texts(told))
    if not isinstance(told, dict):
        return told
    ((name, inner),) = cast("dict[str, Any]", told).items()
    change = NEAR.get(name)
    return {name: change(inner, chance)} if change else cast("Json", told)


def _texts(text: str) -> list[str]:
    return [
        "", text[:1], text + text, text[::-1], text.swapcase(), f" {text} ", f"äß漢{text}", f"{text}\n{text}", text[1:],
        text.replace(" ", "_"), text[: len(text) // 2],
    ]  # fmt: skip


def _int(inner: str, chance: random.Random) -> str:
    value = int(inner)
    every = (0, 1, -1, 2, value + 1, value - 1, -value, 2 * value)
    return str(chance.choice([each for each in every if abs(each) <= max(LARGEST, abs(value))]))


def _float(inner: str, chance: random.Random) -> str:
    value = float(inner)
    return repr(chance.choice((0.0, -value, value * 2, value + 1, value / 3, 1e-6)))


def _items(inner: list[Json], chance: random.Random) -> list[Json]:
    way = chance.randrange(8)
    if not inner or way == 0:
        return []
    if way < 6:
        ways = (inner[:1], inner[::-1], inner + inner, [*inner, inner[-1]], inner[1:] + inner[:1])
        return ways[way - 1]
    at = chance.randrange(len(inner))
    return [*inner[:at], near(inner[at], chance), *inner[at + 1 :]]


def _pairs(inner: list[list[Json]], chance: random.Random) -> list[list[Json]]:
    if not inner or chance.random() < 0.2:
        return []
    at = chance.randrange(len(inner))
    without = inner[:at] + inner[at + 1 :]
    changed = [*inner[:at], [inner[at][0], near(inner[at][1], chance)], *inner[at + 1 :]]
    return chance.choice((without, changed, inner[::-1]))


def _fewer(inner: list[Json], chance: random.Random) -> list[Json]:
    return [] if chance.random() < 0.3 else inner[1:]


def _range(inner: list[int], chance: random.Random) -> list[int]:
    start, stop, step = inner
    return chance.choice(
        ([0, 0, 1], [start, start + 1, 1], [stop, start, -1], [start, min(stop * 2, start + LARGEST), step])
    )


def _bytes(inner: str, chance: random.Random) -> str:
    return chance.choice(("", inner[:2], inner + inner, "00" + inner, inner + "ff"))


NEAR: dict[str, Callable[[Any, random.Random], Any]] = {
    "int": _int, "float": _float, "list": _items, "tuple": _items, "iterator": _items, "dict": _pairs, "set": _fewer,
    "frozenset": _fewer, "range": _range, "bytes": _bytes, "bytearray": _bytes,
}  # fmt: skip
