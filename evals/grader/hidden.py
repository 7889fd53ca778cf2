"""Hidden cases: calls that the candidate answers in a room, compared here. What is expected never enters a room.

Left out of the comparison: attributes that begin with _, and the names of functions made inside others, which are the
author's own affair.
"""

from itertools import pairwise
from typing import Any, NamedTuple, cast

from evals.cleanroom.room import Room
from evals.tasks.calls import outcomes
from evals.tasks.task import Call, Hidden, Outcome
from evals.tasks.values import Json, canonical, same


class Answered(NamedTuple):
    """A hidden case with the candidate's answer."""

    call: Call
    right: bool
    detail: str


def answer(room: Room, hidden: Hidden) -> list[Answered]:
    """Each case, right or wrong."""
    given = outcomes(room, [case.call for case in hidden.cases])
    return [
        Answered(case.call, agrees(case.expected, gave), _told(case.expected, gave))
        for case, gave in zip(hidden.cases, given, strict=True)
    ]


def unanswered(hidden: Hidden) -> list[Answered]:
    """Each case wrong, for want of an answer."""
    return [Answered(case.call, False, "no answer") for case in hidden.cases]


def agrees(expected: Outcome, gave: Outcome | None) -> bool:
    """Whether `gave` is what was expected, in all that shows."""
    if gave is None or gave.raised != expected.raised:
        return False
    try:
        return same(shown(expected.value), shown(gave.value)) and same(shown(expected.after), shown(gave.after))
    except (RecursionError, ValueError, TypeError, KeyError):  # no encoded value: somebody else's word
        return False


def shown(told: Json) -> Json:
    """An encoded value without what is private to it."""
    if isinstance(told, list):
        return [shown(each) for each in cast("list[Any]", told)]
    if not isinstance(told, dict):
        return told
    found = {key: shown(each) for key, each in cast("dict[str, Any]", told).items()}
    if "has" in found and isinstance(found["has"], list):
        found["has"] = [each for each in cast("list[Any]", found["has"]) if not str(each[0]).startswith("_")]
    for key in ("function", "class"):
        if "<locals>" in str(found.get(key, "")):
            found[key] = "<locals>"
    return found


def can_tell(hidden: Hidden) -> bool:
    """Whether the comparison finds a wrong expectation wrong: each case is held against another's, which differs."""
    told = [case.expected for case in hidden.cases]
    pairs = [(one, other) for one, other in pairwise(told) if _key(one) != _key(other)]
    return not any(agrees(one, other) for one, other in pairs)


def _key(outcome: Outcome) -> str:
    return canonical([shown(outcome.value), outcome.raised, shown(outcome.after)])


def _told(expected: Outcome, gave: Outcome | None) -> str:
    if gave is None:
        return "no answer: it crashed, went on too long, or can't be told"
    try:
        answer = gave.raised or canonical(gave.value)[:200]
    except (RecursionError, ValueError):
        answer = "what is no value"
    want = expected.raised or canonical(expected.value)[:200]
    return f"expected {want}, gave {answer}"
