"""What every event has: the attributes of a CloudEvent 1.0, and a payload whose fields stand beside them."""

from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict

from models.feedback import Name
from models.ids import digest

Json = dict[str, Any]

Utc = Annotated[AwareDatetime, AfterValidator(lambda moment: moment.astimezone(UTC))]
"""A moment with a zone, kept in UTC. A time without a zone is refused, never guessed."""

ENVELOPE = frozenset({"id", "source", "type", "occurred_at", "import_id", "import_row", "repaired"})
"""Fields of `Event` that travel as CloudEvents attributes. All others are the payload (`data`)."""


class Event(BaseModel):
    """A fact: past tense, frozen. Unknown payload fields are ignored, so that a later minor addition still parses."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    topic: ClassVar[str]
    """The topic it is written to."""
    key_field: ClassVar[str]
    """The payload field whose value is the record's key: what must stay in order shares a key."""

    type: Any
    """A literal in each event class: name and version, as in `feedback.thumb_given.v2`."""
    id: Name
    source: Name
    """Who wrote it: a product, a tool, one of our own workers. (source, id) identifies the event for ever."""
    occurred_at: Utc | None = None
    """When it happened by the writer's clock; None where nobody knows. The log adds when it arrived."""
    import_id: Name | None = None
    """The import that brought it, outside the content that is compared."""
    import_row: int | None = None
    """The row of the imported file, from 1, outside the content that is compared."""
    repaired: bool = False
    """True where text held a lone surrogate, which is now U+FFFD."""

    @property
    def key(self) -> str:
        """The record key in the log, and the CloudEvents subject."""
        value: object = getattr(self, self.key_field)
        return str(getattr(value, "id", value) or self.id)

    def payload(self) -> Json:
        """The CloudEvents `data`: everything but the envelope, as JSON types. None is kept: null is not absent."""
        return self.model_dump(mode="json", exclude=set(ENVELOPE))

    def content_hash(self) -> str:
        """SHA-256 (hex) of what the event says: type, time and payload. Not who imported it, not when it arrived.

        A field at its default counts as not said, so that a field added later changes no hash of what came before it.
        """
        occurred = self.occurred_at.isoformat() if self.occurred_at else None
        said = self.model_dump(mode="json", exclude=set(ENVELOPE), exclude_defaults=True)
        return digest([self.type, occurred, said])


def at(moment: datetime | None) -> str | None:
    """RFC 3339 in UTC with microseconds, as it stands in the canonical form; None stays None."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None
