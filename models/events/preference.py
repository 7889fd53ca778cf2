"""A preference: of two responses, which one is better."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Author, EventKey, Name, Target


class PreferenceGiven(Event):
    """An author compared two responses to one prompt. A tie is an answer; a skipped comparison is none."""

    topic: ClassVar[str] = "feedback"
    key_field: ClassVar[str] = "first"

    type: Literal["feedback.preference_given.v1"] = "feedback.preference_given.v1"
    first: Target
    second: Target
    author: Author
    choice: Literal["first", "second", "tie"] | None = None
    """None where skipped or errored."""
    status: Literal["given", "skipped", "errored"] = "given"
    metric: Name = "preference"
    """What was compared: overall, or one criterion."""
    explanation: str | None = None
    judge_version: Name | None = None
    """Of the model or program that compared, where it says."""
    sequence: int | None = None
    native_id: EventKey | None = None
