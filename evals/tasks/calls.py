"""Make calls in a room, and take what they gave as values: compared outside of where they were made.

Left out: which calls (`evals.tasks.generate.cases`) and what is expected (`HiddenCase`).
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from pydantic import ValidationError

from evals.cleanroom import Room
from evals.tasks.bundle import command
from evals.tasks.task import Call, Outcome
from evals.tasks.values import same

ROOTS = (".", "src")
"""Where packages are imported from, in the tree."""


def outcomes(room: Room, calls: Sequence[Call], seconds: float = 2.0) -> list[Outcome | None]:
    """What each call gives on the tree in `room`; None: it crashed, took more than `seconds`, or can't be told.

    Each call has a process of its own, made after the modules were imported once. What comes out of the room is read as
    JSON and nothing else: lines that are not ours count as no answer.
    """
    if not calls:
        return []
    asked = {"calls": [call.model_dump() for call in calls], "seconds": seconds, "paths": ROOTS}
    ran = room.run(command("calls"), stdin=json.dumps(asked).encode(), seconds=60 + (seconds + 1) * len(calls))
    found: list[Outcome | None] = [None] * len(calls)
    for line in ran.stdout.splitlines():
        try:
            take(json.loads(line), found)
        except (ValueError, RecursionError):
            continue
    return found


def take(said: Any, found: list[Outcome | None]) -> None:
    """Put an answer in its place; one that is none is passed over."""
    if not isinstance(said, dict):
        return
    answer = cast("dict[str, Any]", said)
    index = answer.get("call")
    if type(index) is int and 0 <= index < len(found):
        try:
            found[index] = Outcome.model_validate(answer.get("outcome"))
        except (ValidationError, RecursionError):
            return


def agree(expected: Outcome, given: Outcome | None) -> bool:
    """Whether a call gave what was expected: value, or exception, and arguments afterwards."""
    return (
        given is not None
        and given.raised == expected.raised
        and same(given.value, expected.value)
        and same(given.after, expected.after)
    )
