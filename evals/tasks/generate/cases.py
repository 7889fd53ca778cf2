"""Hidden cases: calls on which the gold files give the same in two processes of different hash seeds, and something
else than the cut tree gives. Left out: what gives an object of a class that was cut, since how that keeps its state is
up to who writes it anew.
"""

import random
from collections.abc import Sequence
from typing import Any, cast

from evals.tasks.calls import agree
from evals.tasks.generate.baseline import Baseline
from evals.tasks.generate.inputs import inputs
from evals.tasks.generate.pieces import Piece
from evals.tasks.generate.trials import Trials
from evals.tasks.task import Call, HiddenCase, Outcome
from evals.tasks.values import Json, canonical

MOST = 40
TRIED = 110
LONGEST = 4000
"""Characters of an outcome as JSON."""
RAISING = 0.25
"""Of the cases, so many may be about exceptions."""


def cases(
    pieces: Sequence[Piece], seen: Baseline, cut: dict[str, str], trials: Sequence[Trials], chance: random.Random
) -> list[HiddenCase]:
    """Up to MOST, each function's turn by turn. `trials` are two that differ in their hash seed."""
    found = [call for piece in pieces for call in _calls(piece, pieces, seen, chance, -(-TRIED // len(pieces)))]
    found = found[:TRIED]
    one, other = trials[0].calls({}, found), trials[1].calls({}, found)
    kept = [
        (call, gold)
        for call, gold, again in zip(found, one, other, strict=True)
        if gold and agree(gold, again) and _can_be_asked(gold, pieces)
    ]
    without = trials[0].calls(cut, [call for call, _ in kept])
    telling = [
        HiddenCase(call=call, expected=gold)
        for (call, gold), empty in zip(kept, without, strict=True)
        if not agree(gold, empty)
    ]
    return chosen(telling, MOST)


def chosen(every: Sequence[HiddenCase], most: int) -> list[HiddenCase]:
    """Up to `most`: functions' turn by turn, new outcomes before known ones, few exceptions."""
    by_function: dict[str, list[HiddenCase]] = {}
    known = set[str]()
    for case in every:
        by_function.setdefault(case.call.qualname, []).append(case)
    for name, those in by_function.items():
        fresh: list[HiddenCase] = []
        stale: list[HiddenCase] = []
        for case in those:
            said = name + canonical(case.expected.model_dump())
            (stale if said in known else fresh).append(case)
            known.add(said)
        by_function[name] = [*fresh, *stale]
    picked: list[HiddenCase] = []
    raising = 0
    while len(picked) < most and any(by_function.values()):
        for those in by_function.values():
            if not those or len(picked) == most:
                continue
            case = those.pop(0)
            if case.expected.raised:
                if raising >= RAISING * most:
                    continue
                raising += 1
            picked.append(case)
    return picked


def _calls(piece: Piece, pieces: Sequence[Piece], seen: Baseline, chance: random.Random, most: int) -> list[Call]:
    names = [piece.qualname, *(body.qualname for body in piece.bodies if body.qualname != piece.qualname)]
    made = modules_of_cut_classes(pieces)
    every: list[Call] = []
    for name in names:
        if name.endswith("__init__"):
            continue
        calls = inputs(seen.calls.get((piece.path, name), []), chance, -(-most // len(names)) + 2)
        every += [
            call.model_copy(update={"look_at_object": call.module not in made})
            for call in calls
        ]
    return every


def modules_of_cut_classes(pieces: Sequence[Piece]) -> set[str]:
    """Modules with a class whose way to keep its state was cut, all of it or how it is made: objects of all their classes
    are passed over, since one may be derived from another."""
    ways = ("__init__", "__new__")
    return {piece.module for piece in pieces if piece.is_class or ("." in piece.qualname and piece.name in ways)}


def _can_be_asked(gold: Outcome, pieces: Sequence[Piece]) -> bool:
    if gold.raised and not gold.raised.startswith("builtins:") and "<" in gold.raised:
        return False
    if gold.raised in ("builtins:NotImplementedError", "builtins:SystemExit", "builtins:KeyboardInterrupt"):
        return False
    told = canonical(gold.model_dump())
    modules = {name.partition(":")[0] for name in _objects([gold.value, gold.after])}
    return len(told) <= LONGEST and not modules_of_cut_classes(pieces) & modules


def _objects(told: Json) -> list[str]:
    """Classes of all objects in a value."""
    if isinstance(told, list):
        return [name for each in cast("list[Any]", told) for name in _objects(each)]
    if isinstance(told, dict):
        inner = cast("dict[str, Any]", told)
        own = [inner["object"]] if isinstance(inner.get("object"), str) else []
        return own + [name for each in inner.values() for name in _objects(each)]
    return []
