"""A thumb: up, down, or taken back."""

from typing import ClassVar, Literal

from models.events.base import Event, Json
from models.feedback import Author, Name, Target


class ThumbGiven(Event):
    """An author set a thumb on a target, or cleared it. The latest of one author counts; the history stays."""

    topic: ClassVar[str] = "feedback"
    key_field: ClassVar[str] = "target"

    type: Literal["feedback.thumb_given.v2"] = "feedback.thumb_given.v2"
    target: Target
    author: Author
    thumb: Literal["up", "down"] | None
    """None: cleared. Cleared is not down, and not a vote that never was."""
    metric: Name = "thumb"
    sequence: int | None = None
    """The producer's own order of this author's votes, where it keeps one."""
    native_id: Name | None = None
    """The vote's id in the tool that it came from: stands in for an author who is not known."""


def upcast_v1(data: Json) -> Json:
    """Version 1 had `up: bool`, which could not say that a vote was withdrawn."""
    return {**{name: value for name, value in data.items() if name != "up"}, "thumb": "up" if data["up"] else "down"}
