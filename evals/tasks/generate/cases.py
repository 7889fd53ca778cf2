"""Hidden cases: calls on which the gold files give the same in three processes of different hash seeds, the last with
clocks that have just begun, and something else than the cut tree gives. Left out: what gives an object of a class that
was cut, since how that keeps its state is up to who writes it anew.
"""

import ast
import random
import re
from collections.abc import Sequence

from evals.tasks.calls import agree
from evals.tasks.generate.baseline import Baseline, Key
from evals.tasks.generate.candidates import keys
from evals.tasks.generate.inputs import inputs
from evals.tasks.generate.pieces import Piece
from evals.tasks.generate.trials import Trials
from evals.tasks.instructions import dicts
from evals.tasks.task import Call, HiddenCase, Outcome
from evals.tasks.values import Json, canonical

MOST = 40
TRIED = 80
LONGEST = 4000
"""Characters of an outcome as JSON."""
FEW = 12
"""With fewer cases, what leads to the cut is called as well:"""
ABOVE, FARTHEST = 8, 6
"""so many functions, from so many calls away."""
RAISING = 0.25
"""Of the cases, so many may be about exceptions."""


def cases(
    pieces: Sequence[Piece], seen: Baseline, cut: dict[str, str], trials: Sequence[Trials], chance: random.Random
) -> list[HiddenCase]:
    """Up to MOST, each function's turn by turn. `trials` are three that differ in their hash seed.

    Where too few calls of what was cut can be told by value, calls of public functions that lead there are asked too.
    """
    found = [call for piece in pieces for call in _calls(piece, pieces, seen, chance, -(-TRIED // len(pieces)))]
    telling = _telling(found[:TRIED], pieces, cut, trials)
    if len(telling) < FEW:
        above = above_them(keys(pieces), seen)
        modules = modules_of_cut_classes(pieces)
        more = [
            call.model_copy(update={"look_at_object": call.module not in modules})
            for key in above[:ABOVE]
            for call in inputs(seen.calls[key], chance, -(-TRIED // min(ABOVE, len(above))))
        ]
        telling += _telling(more[:TRIED], pieces, cut, trials)
    picked = chosen(telling, MOST)
    last = trials[2].calls({}, [case.call for case in picked], new_clocks=True)
    return [case for case, gave in zip(picked, last, strict=True) if agree(case.expected, gave)]


def _telling(
    calls: list[Call], pieces: Sequence[Piece], cut: dict[str, str], trials: Sequence[Trials]
) -> list[HiddenCase]:
    """Those of `calls` that can be hidden cases; without a look at the object where that can't be told."""
    told = trials[0].calls({}, calls)
    calls = [
        call if gold or not call.build else call.model_copy(update={"look_at_object": False})
        for call, gold in zip(calls, told, strict=True)
    ]
    one, other = trials[0].calls({}, calls), trials[1].calls({}, calls)
    kept = [
        (call, gold)
        for call, gold, again in zip(calls, one, other, strict=True)
        if gold and agree(gold, again) and _can_be_asked(gold, pieces)
    ]
    without = trials[0].calls(cut, [call for call, _ in kept])
    return [
        HiddenCase(call=call, expected=gold)
        for (call, gold), empty in zip(kept, without, strict=True)
        if not agree(gold, empty)
    ]


def above_them(cut: set[Key], seen: Baseline) -> list[Key]:
    """Public functions that lead to what was cut, nearest first, whose calls were seen."""
    callers: dict[Key, set[Key]] = {}
    for one, callees in seen.callees.items():
        for other in callees:
            callers.setdefault(other, set()).add(one)
    found, ring = list[Key](), sorted(cut)
    known = set(cut)
    for _ in range(FARTHEST):
        ring = sorted({above for key in ring for above in callers.get(key, ())} - known)
        known.update(ring)
        found += [key for key in ring if seen.calls.get(key) and is_public(key[1])]
    return found


def is_public(qualname: str) -> bool:
    """No part of it begins with one underscore."""
    return not any(part.startswith("_") and not part.endswith("__") for part in qualname.split("."))


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
        every += [call.model_copy(update={"look_at_object": call.module not in made}) for call in calls]
    return every


def modules_of_cut_classes(pieces: Sequence[Piece]) -> set[str]:
    """Modules with a class whose way to keep its state was cut, all of it or how it is made: objects of all their
    classes are passed over, since one may be derived from another.
    """
    ways = ("__init__", "__new__")
    return {piece.module for piece in pieces if piece.is_class or ("." in piece.qualname and piece.name in ways)}


def _can_be_asked(gold: Outcome, pieces: Sequence[Piece]) -> bool:
    """Exceptions only where a body raises them by name, or a docstring names them: others come as they come."""
    if gold.raised and gold.raised.rpartition(":")[2].rpartition(".")[2] not in named_exceptions(pieces):
        return False
    told = [gold.value, gold.after]
    modules = {name.partition(":")[0] for name in objects(told)}
    if modules_of_cut_classes(pieces) & modules or is_opaque(told, {piece.module.split(".")[0] for piece in pieces}):
        return False
    return len(canonical(told)) <= LONGEST


def named_exceptions(pieces: Sequence[Piece]) -> set[str]:
    """Names that `raise` statements and docstrings say."""
    found = set[str]()
    for piece in pieces:
        found.update(re.findall(r"\w+", piece.doc))
        for body in piece.bodies:
            found.update(re.findall(r"\w+", ast.get_docstring(body.node) or ""))
            for node in ast.walk(body.node):
                if isinstance(node, ast.Raise) and node.exc:
                    found.update(each.id for each in ast.walk(node.exc) if isinstance(each, ast.Name))
    return found - {"NotImplementedError", "SystemExit", "KeyboardInterrupt"}


def objects(told: Json) -> list[str]:
    """Classes of all objects in a value."""
    return [each["object"] for each in dicts(told) if isinstance(each.get("object"), str)]


def is_opaque(told: Json, packages: set[str]) -> bool:
    """Whether it holds what is known by its name alone, and could as well be another thing: a function made on the way,
    or an object that is no container, of somebody else's class."""
    for each in dicts(told):
        if "<" in str(each.get("function", "")) or "<" in str(each.get("class", "")):
            return True
        name = each.get("object")
        is_ours = isinstance(name, str) and name.partition(":")[0].split(".")[0] in packages
        if isinstance(name, str) and "as" not in each and not (each["has"] and is_ours):
            return True
    return False
