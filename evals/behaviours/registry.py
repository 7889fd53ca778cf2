"""Behaviours by name. A new one is a file and a line here."""

from evals.behaviours.behaviour import Behaviour
from evals.behaviours.interruption import INTERRUPTION
from models.errors import TerminalError

BEHAVIOURS: dict[str, Behaviour] = {each.name: each for each in (INTERRUPTION,)}


def behaviour(name: str) -> Behaviour:
    """The behaviour of that name. Raises TerminalError where there is none."""
    if name not in BEHAVIOURS:
        raise TerminalError(f"there is no behaviour {name!r}; known: {', '.join(BEHAVIOURS)}")
    return BEHAVIOURS[name]
