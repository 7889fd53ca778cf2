"""What an import did with each row of a file."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Name


class FileImported(Event):
    """A file was read to its end. rows = accepted + duplicate + refused + without_feedback."""

    topic: ClassVar[str] = "imports"
    key_field: ClassVar[str] = "file_import_id"

    type: Literal["import.file_imported.v1"] = "import.file_imported.v1"
    file_import_id: Name
    """Hash of format, mapping and content: the same file again is the same import."""
    format: Name
    file_name: str
    """Without its folder: that is nobody's business."""
    sha256: Name
    rows: int
    rows_accepted: int
    """Rows that gave at least one event that was not known."""
    rows_duplicate: int
    """Rows whose events were all known already."""
    rows_refused: int
    rows_without_feedback: int
    """Rows that are no feedback and only give context to others: a person's question, say."""
    events: int
    """Events that this import wrote."""
    corrects: Name | None = None
    """An earlier import, of the same rows read otherwise: what it wrote counts no longer."""


class RowRefused(Event):
    """A row could not become events. It is kept as it was, with the reason."""

    topic: ClassVar[str] = "imports"
    key_field: ClassVar[str] = "file_import_id"

    type: Literal["import.row_refused.v1"] = "import.row_refused.v1"
    file_import_id: Name
    row: int
    """From 1."""
    reason: str
    text: str
    """The row, cut at 10,000 characters with a marker."""
