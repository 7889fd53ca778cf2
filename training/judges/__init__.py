"""Judges by the method that made them: what reads a text and says whether its author is dissatisfied, and with what.

A new kind is a file with an `opened`, and a line here.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from models.errors import TerminalError

if TYPE_CHECKING:
    from pathlib import Path

    from models.events.checkpoint import CheckpointRegistered
    from models.protocols import Judge
    from training.judges.network import Embedder

    Opened = Callable[[CheckpointRegistered, Path, Callable[[], Embedder]], Judge]
    """(what was registered, the folder of its files, what makes vectors for those who need any) to a judge."""

JUDGES = {
    "judge": "training.judges.trained",
    "lexicon": "training.judges.lexicon",
}
"""Method -> module; imported for the judge that is asked, since torch takes seconds to load."""


def find(registered: "CheckpointRegistered") -> "Opened":
    """What opens this checkpoint. Raises TerminalError where its method makes no judges."""
    if registered.method not in JUDGES:
        raise TerminalError(
            f"{registered.checkpoint_id} is a {registered.role} made by {registered.method!r}, no judge; judges are "
            f"made by: {', '.join(sorted(JUDGES))}"
        )
    return cast("Opened", import_module(JUDGES[registered.method]).opened)
