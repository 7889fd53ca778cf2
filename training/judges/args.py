"""The arguments of the method `judge`, and how a spec's are read: none is ignored."""

from typing import Any, NamedTuple, cast

from models.errors import TerminalError
from models.specs import JsonValue


class Args(NamedTuple):
    """What a spec may set; each has a value that was tried."""

    seed: int = 0
    buckets: int = 8192
    width: int = 64
    hidden: int = 128
    dropout: float = 0.3
    learning_rate: float = 2e-3
    weight_decay: float = 0.05
    batch: int = 32
    passes: int = 30
    patience: int = 4
    """Passes without a better validation loss before it stops."""
    mode_threshold: float = 0.4
    """Below this probability no mode is named."""
    log_every: int = 10
    save_every: int = 100
    """Steps between two saved states."""


def read_args(given: dict[str, JsonValue]) -> Args:
    """Raises TerminalError for a name that the method doesn't have or a value of another type: nothing is ignored."""
    known = Args._field_defaults
    for name, value in given.items():
        if name not in known:
            raise TerminalError(f"The method judge has no argument {name!r}; known: {', '.join(known)}.")
        whole = isinstance(known[name], int)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            wanted = "a whole number" if whole else "a number"
            raise TerminalError(f"The argument {name} of the method judge is {value!r}; it takes {wanted}.")
    return Args(**cast(dict[str, Any], given))
