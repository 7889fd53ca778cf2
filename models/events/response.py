"""A model's answer, as a product served it."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Name


class ResponseServed(Event):
    """A response reached a person or a test. Text is None where the writer does not know what it said."""

    topic: ClassVar[str] = "responses"
    key_field: ClassVar[str] = "response_id"

    type: Literal["response.served.v1"] = "response.served.v1"
    response_id: Name
    prompt: str | None = None
    completion: str | None = None
    conversation_id: Name | None = None
    message_id: Name | None = None
    trace_id: Name | None = None
    span_id: Name | None = None
    person_id: Name | None = None
    model: Name | None = None
    """The model's name, as the product calls it."""
    checkpoint_id: Name | None = None
    experiment_id: Name | None = None
    variant: Name | None = None
    audience: Literal["external", "internal"] = "external"
    """Customers, or our own people trying it out (dogfood)."""
    language: Name | None = None
    latency_ms: float | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
