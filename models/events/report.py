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
