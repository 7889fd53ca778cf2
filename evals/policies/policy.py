"""What a policy is: to all that was said and done, the next reply."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from environments.world import Offer
from evals.grader.grade import Tripwire
from models.errors import FlywheelError
from models.events.rollout import Step, ToolCall


class Usage(NamedTuple):
    """What a reply took. None where nobody counted: unknown is not zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None


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


class Policy(Protocol):
    """A model under test. Asked from several threads at once."""

    name: str

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """The next reply to all that was said and done, within `seconds`.

        Raises TransientError where it gives none now, TerminalError where it never will, Refused where what it gives
        must not be used.
        """
        ...
