"""A written comment on an answer."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Author, Name, Target


class CommentLeft(Event):
    """An author wrote about a target. An empty text is a comment without words, not a missing one."""

    topic: ClassVar[str] = "feedback"
    key_field: ClassVar[str] = "target"

    type: Literal["feedback.comment_left.v1"] = "feedback.comment_left.v1"
    target: Target
    author: Author
    text: str
    metric: Name | None = None
    """The metric that the comment explains, where it came with one."""
    sequence: int | None = None
    native_id: Name | None = None
