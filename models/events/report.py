"""A report: someone, or a rule, says what went wrong. Dogfood reports are these."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Author, Name, Target


class ReportFiled(Event):
    """A person or a rule filed a report. Its target may be unknown: people report from memory."""

    topic: ClassVar[str] = "feedback"
    key_field: ClassVar[str] = "target"

    type: Literal["feedback.report_filed.v1"] = "feedback.report_filed.v1"
    target: Target | None = None
    author: Author
    kind: Literal["dogfood", "automated"]
    text: str
    rating: float | None = None
    scale_min: float | None = None
    scale_max: float | None = None
    link: str | None = None
    sequence: int | None = None
    native_id: Name | None = None
    rule: Name | None = None
    """The rule that filed an automated report."""
    rule_version: int | None = None
    steps: tuple[int, ...] | None = None
    """The steps of the rollout that it points to, from 0."""
    response_id: Name | None = None
    """The response that the author had before them, where the target is another thing or unknown."""
