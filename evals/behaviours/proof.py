"""The proof of a behaviour: its passing solver passes every sample, each failing one fails by the check it names."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evals.behaviours.behaviour import Behaviour
from evals.behaviours.episode import play
from evals.behaviours.sample import BehaviourSample
from evals.behaviours.solving import Plan, Solver

SECONDS = 60.0


class Tried(NamedTuple):
    """What one solver did on all samples."""

    solver: str
    passed: int
    lenient: int
    """How many passed by their outcome alone."""
    names: str | None
    """The check by which it says to fail; None: it says to pass."""
    as_named: int
    """How many failed by exactly the checks that it names (or passed, where it names none)."""
    failed: Counter[str]
    """How often each check didn't hold."""
    calls: int
    """Made in all."""
    odd: str
    """The first sample on which it did something else, with what was seen; empty where there is none."""


def prove(behaviour: Behaviour, samples: Sequence[BehaviourSample]) -> list[Tried]:
    """Try the passing solver, then each failing one, on every sample."""
    tried = [_tried("passing", behaviour.passing, samples, None, frozenset())]
    tried += [
        _tried(each.name, each.plan, samples, each.fails, frozenset((each.fails, *each.also)))
        for each in behaviour.failing
    ]
    return tried


def _tried(
    name: str, plan: Plan, samples: Sequence[BehaviourSample], names: str | None, wanted: frozenset[str]
) -> Tried:
    failed: Counter[str] = Counter()
    passed = lenient = as_named = calls = 0
    odd = ""
    for sample in samples:
        result = play(sample, Solver(name, plan), SECONDS)
        broken = [each.name for each in result.checks if each.passed is False]
        failed.update(broken)
        passed += result.strict == 1.0
        lenient += result.lenient == 1.0
        calls += sum(len(step.calls) for step in result.ended.steps)
        good = result.fault is None and frozenset(broken) == wanted
        as_named += good
        if not good and not odd:
            odd = f"{sample.sample_id}: {result.explanation}"
    return Tried(name, passed, lenient, names, as_named, failed, calls, odd)
