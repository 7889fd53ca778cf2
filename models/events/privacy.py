"""Privacy: who asked to be erased, and what was done about it."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Name


class ErasureRequested(Event):
    """What a person wrote, and what is written about them, is to be erased: all that arrived before this did."""

    topic: ClassVar[str] = "privacy"
    key_field: ClassVar[str] = "person_id"

    type: Literal["privacy.erasure_requested.v1"] = "privacy.erasure_requested.v1"
    person_id: Name
    requested_by: Name | None = None
    reason: str | None = None


class ErasureCompleted(Event):
    """A request was carried out in one home. The certificate lists each file; this says how much it was."""

    topic: ClassVar[str] = "privacy"
    key_field: ClassVar[str] = "person_id"

    type: Literal["privacy.erasure_completed.v1"] = "privacy.erasure_completed.v1"
    person_id: Name
    request_id: Name
    """The id of the `ErasureRequested`."""
    events: int
    """How many events lost their content."""
    files: int
    """How many files were rewritten or removed."""
    certificate: Name
    """SHA-256 of the certificate."""
