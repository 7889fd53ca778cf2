"""What one package needs of another: `flywheel/` fills these, so that the packages meet only on the log."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


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
