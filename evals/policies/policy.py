"""What a policy is: to all that was said and done, the next reply."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from environments.world import Offer
from evals.grader.grade import Tripwire
from models.errors import FlywheelError, TerminalError
from models.events.rollout import Step, ToolCall


class Usage(NamedTuple):
    """What a reply took. None where nobody counted: unknown is not zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    """Wall clock, waiting for a turn and for another try not included."""


class Reply(NamedTuple):
    """What a policy says next."""

    text: str | None
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish: Literal["stop", "length"] = "stop"
    """`length`: cut off, since its tokens were used up."""


class Refused(FlywheelError):
    """A reply that must not be used. Its evidence goes to the grader."""

    def __init__(self, message: str, evidence: Tripwire) -> None:
        super().__init__(message)
        self.evidence = evidence


class Unreadable(TerminalError):
    """An answer came, and it is none: no JSON, no message in it."""


class Policy(Protocol):
    """A model under test. Asked from several threads at once."""

    name: str

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """The next reply to all that was said and done, within `seconds`.

        Raises TransientError where it gives none now, TerminalError where it never will, Refused where what it gives
        must not be used.
        """
        ...


class UnderTest(Protocol):
    """A checkpoint that is ready to be asked: it gives the policy for one attempt at one sample."""

    name: str
    parallel: int
    """Attempts that it can well be asked at once; 1: answers cost nothing, and threads would only be in the way."""
    priced: bool
    """Whether each reply says what it cost."""

    def at(self, sample_id: str, trial: int) -> Policy:
        """Who is asked in this attempt (from 0): the same sample and trial give equal luck, where luck can be set."""
        ...

    def close(self) -> None:
        """Give back what it holds: connections, memory. It may still be asked by who had it, and then fails."""
        ...
