"""How failure modes are born. A replay folds these and discovers nothing, so ids stay what they were."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import EventKey, Name


class DiscoveryStarted(Event):
    """A discovery froze its input. One that was killed is repeated on the same input."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "discovery_id"

    type: Literal["taxonomy.discovery_started.v1"] = "taxonomy.discovery_started.v1"
    discovery_id: Name
    """Hash of the input and the model."""
    event_keys: tuple[EventKey, ...]
    """The comments and reports it looks at, sorted: source, a bar, event id."""
    embedding: Name
    """Model and dtype of the vectors."""
    taxonomy_digest: Name
    """The modes that were there when it started."""


class ModeProposed(Event):
    """A group of comments that no known mode explains. Proposed modes are assigned to; specs wait for acceptance."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_proposed.v1"] = "taxonomy.mode_proposed.v1"
    mode_id: Name
    """Hash of the members and the model: never a position in a clustering."""
    discovery_id: Name
    name: str
    terms: tuple[str, ...]
    centroid: tuple[float, ...]
    """Unit vector, (384,) for the default embedding."""
    cohesion: float
    """Mean cosine of the members to the centroid: how much they say the same."""
    embedding: Name
    member_keys: tuple[EventKey, ...]
    """Event keys of the members, sorted."""
    medoid_key: EventKey
    """Event key of the member nearest the centroid."""


class DiscoveryCompleted(Event):
    """A discovery has written all its proposals."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "discovery_id"

    type: Literal["taxonomy.discovery_completed.v1"] = "taxonomy.discovery_completed.v1"
    discovery_id: Name
    proposed: int
    left_over: int
    """Comments of the input that joined no mode."""


class ModeAccepted(Event):
    """A person, or the stated rule, accepted a proposed mode: specs may be made of it."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_accepted.v1"] = "taxonomy.mode_accepted.v1"
    mode_id: Name
    accepted_by: Name
    """A person's id, or `rule`."""
    reason: str
