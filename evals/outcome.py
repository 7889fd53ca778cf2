"""What became of one attempt at one sample: a score, a reason why there is none, or nothing that counts."""

from typing import NamedTuple

from evals.policies.policy import Refused, Unreadable, Usage
from evals.scorers import Score
from models.errors import FlywheelError, TransientError
from models.events import AnyEvent
from models.events.result import Fault


class Outcome(NamedTuple):
    """An attempt that is over. Neither `score` nor `fault`: the sample is not part of the metric."""

    score: Score | None = None
    fault: Fault | None = None
    reason: str | None = None
    """Why there is no score, in words."""
    lenient: float | None = None
    usage: Usage = Usage()
    truncated: bool = False
    rollout_id: str | None = None
    judge_id: str | None = None
    judge_version: str | None = None
    beside: tuple[AnyEvent, ...] = ()
    """What goes to the log with the result: a rollout, a grade."""


LEFT_OUT = Outcome()


def missing(fault: Fault, reason: str, usage: Usage = Usage()) -> Outcome:  # noqa: B008 - frozen
    """No score, for this reason. It is never a zero."""
    return Outcome(fault=fault, reason=reason, usage=usage)


def fault_of(error: FlywheelError) -> Outcome:
    """What an error of a policy says of its attempt."""
    if isinstance(error, TransientError):
        return missing("infrastructure", str(error))
    if isinstance(error, Unreadable):
        return missing("unreadable", str(error))
    if isinstance(error, Refused):
        return missing("refused", f"{error} ({error.evidence.name}: {error.evidence.evidence})")
    return missing("refused", str(error))
