"""What the collector answers: a state for each event, or the reason why nothing of a request was taken."""

from typing import Literal, NamedTuple

import msgspec

State = Literal["accepted", "duplicate", "refused"]
Why = Literal["content", "scope", "size"]

LONGEST_REASON = 500
"""Characters of a reason."""


class EventAnswer(msgspec.Struct, omit_defaults=True):
    """What became of one event."""

    index: int
    """Its place in the request, from 0."""
    id: str | None
    source: str | None
    state: State
    reason: str | None = None
    """Why it was refused, in one line."""
    cut: bool = False
    """True where the log holds less than was sent: its longest text was cut, and says so there."""


class Answer(msgspec.Struct):
    """What became of a request's events, in their order."""

    events: list[EventAnswer]
    accepted: int
    duplicate: int
    refused: int
    request_id: str


class Fault(msgspec.Struct):
    """Why a request was answered without looking at its events, or without knowing what became of them."""

    reason: str
    request_id: str


class Refusal(NamedTuple):
    """An event that is not taken."""

    place: int
    id: str | None
    source: str | None
    type: str
    """The event's type where it is one that we know, else `unknown`: a label of metrics."""
    reason: str
    why: Why = "content"


class Turned(Exception):
    """The whole request is turned away with `status`; no event of it is taken, or (503) nobody knows."""

    def __init__(self, status: int, reason: str, retry_after: float | None = None, *, head: bool = False) -> None:
        """`head`: it was turned away for its headers, or has no event: the reason is no event's."""
        super().__init__(reason)
        self.head = head
        self.status = status
        self.reason = reason
        self.retry_after = retry_after
        """Seconds after which the same request may be taken."""


def status_of(answers: list[EventAnswer], refusals: list[Refusal]) -> int:
    """202 as soon as one event is in the log; else the kind that all refusals have in common, or 400."""
    if len(refusals) < len(answers) or not answers:
        return 202
    whys = {refusal.why for refusal in refusals}
    return {frozenset({"scope"}): 403, frozenset({"size"}): 413}.get(frozenset(whys), 400)
