"""Training methods by name, one file each. A new one is a file with a `train`, and a line here."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from models.errors import TerminalError

if TYPE_CHECKING:
    from ingest.jobs.attempt import Attempt
    from models.specs import TrainingSpec
    from training.needs import Needs

    Train = Callable[[Attempt, TrainingSpec, Needs], str]
    """Runs a spec, registers the checkpoint, and returns its digest."""

METHODS = {
    "judge": "training.methods.judge",
    "mode-classifier": "training.methods.mode_classifier",
}
"""Name -> module; imported for the job that asks, since torch takes seconds to load."""


def find(name: str) -> "Train":
    """The method called `name`. Raises TerminalError naming those there are."""
    if name not in METHODS:
        raise TerminalError(f"there is no training method {name!r}; known: {', '.join(sorted(METHODS))}")
    return cast("Train", import_module(METHODS[name]).train)
