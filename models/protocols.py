"""What one package needs of another: `flywheel/` fills these, so that the packages meet only on the log."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Judgement(NamedTuple):
    """What a judge says of one text."""

    negative: float
    """Probability, 0 to 1, that its author is dissatisfied."""
    mode_id: str | None
    """The failure mode it sees; None where it abstains."""
    mode_probability: float


class Judge(Protocol):
    """A checkpoint that reads feedback. Loaded by `training/`, asked by `evals/`."""

    @property
    def checkpoint_id(self) -> str:
        """Which checkpoint this is."""
        ...

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        """One judgement a text, in order; equal texts get equal judgements whatever stands beside them."""
        ...


class OpenJudge(Protocol):
    """Loads a judge by checkpoint id. Raises TerminalError where its files are missing or their digest differs."""

    def __call__(self, checkpoint_id: str) -> Judge:
        """The judge, ready to ask."""
        ...


class FittedClassifier(NamedTuple):
    """A classifier of failure modes, as far as a checkpoint keeps it."""

    version: str
    """By which a build names it: examples, embedding and code."""
    weights: "Mapping[str, NDArray[np.float64]]"
    config: dict[str, Any]
    """Its modes and its model card, as JSON types."""
    measures: Mapping[str, float]
    """Numbers of the card, by name."""


class FitClassifier(Protocol):
    """Fits what assigns failure modes. Lives in `transforms/`, asked by `training/`."""

    def __call__(
        self, texts: Sequence[str], modes: Sequence[str], vectors: "NDArray[np.float32]", embedding: str
    ) -> FittedClassifier:
        """Learn from n texts, a mode each, with the vectors (n, d) of their normal forms and whose those are.

        Equal examples, in whatever order, give equal bits. Raises FlywheelError where they are too few.
        """
        ...


class HeldOutGuard(Protocol):
    """Keeps what is held out, as private benchmarks are, out of training. Lives in `flywheel/`, asked by `transforms/`
    before a set is frozen, and by `training/` before a job starts."""

    def __call__(self, name: str, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Compare the rows of a training set, each an id and its texts; `name` says which set.

        Raises HeldOutData, naming the rows, where one holds something that is held out; TerminalError where what is
        held out can't be read, so that nothing can be said.
        """
        ...
