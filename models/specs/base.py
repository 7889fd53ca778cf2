"""What every spec has: where it came from, and the frozen data that it works on."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from models.feedback import EventKey, Name
from models.ids import Sha256, content_id

JsonValue = str | int | float | bool | None

Args = Annotated[dict[str, JsonValue], Field(default_factory=dict)]
"""Named arguments, as JSON scalars: what ran can be built again from the log."""


class DataRef(BaseModel):
    """A frozen set of samples: `sets/<sha256>.parquet` in the home. The file holds text; the spec only names it."""

    model_config = ConfigDict(frozen=True)

    sha256: Sha256
    rows: int


class Spec(BaseModel):
    """Data, not code: a name, arguments, and the evidence behind it. Its id is the hash of its content."""

    model_config = ConfigDict(frozen=True)

    key: Name
    """Stable over revisions: (mode, kind)."""
    mode_id: Name | None = None
    """The failure mode it is about; None: all of them."""
    evidence: tuple[EventKey, ...]
    """Event keys (source, a bar, event id), sorted, frozen at issue."""
    data: DataRef
    query: str
    """The mart it was read from."""
    taxonomy: Name
    """Digest of the taxonomy at issue: said, not hashed."""

    def content(self) -> dict[str, Any]:
        """What the id is the hash of: everything but what is only said."""
        return self.model_dump(mode="json", exclude={"taxonomy", "query"})

    def spec_id(self) -> str:
        """Equal content gives the equal id."""
        return content_id(self.key.split(":", 1)[0], self.content())
