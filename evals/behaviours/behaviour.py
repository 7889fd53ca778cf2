"""What a behaviour is: how its samples are made, what passes them, and what fails them in which way."""

from collections.abc import Callable
from typing import NamedTuple

from environments.draw import Draw
from evals.behaviours.sample import BehaviourSample
from evals.behaviours.solving import Plan


class Failing(NamedTuple):
    """A way to fail, as a solver that fails so on every sample."""

    name: str
    plan: Plan
    fails: str
    """The check of the rubric that names what it does wrong."""
    also: tuple[str, ...] = ()
    """Checks that then can't hold either."""


class Behaviour(NamedTuple):
    """Something that users miss, or rely on."""

    name: str
    wanted: str
    """What a model should do, in a line."""
    make: Callable[[Draw, float], BehaviourSample]
    """A sample of that difficulty (0 to 1). Its place in the world, its words and its order come from the draw."""
    passing: Plan
    failing: tuple[Failing, ...]
