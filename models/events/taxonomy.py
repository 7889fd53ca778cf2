"""How failure modes are born, named, joined and ended, and what persons say of texts.

A replay folds these and discovers nothing, so ids stay what they were. What follows from which
order stands in `transforms/taxonomy/fold.py`.

None of a user's words are in here but the name and terms of `ModeProposed`: others name the event that has them.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from models.events.base import Event
from models.feedback import EventKey, Name

Words = Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
"""A text that a team wrote itself."""


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
    part_of: Name | None = None
    """The mode that it would be a part of, once that is split: until then nothing is assigned to it."""


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
    """A person, or the stated rule, accepted a mode: it stands for itself, and specs may be made of it.

    By a person it also brings back what was rejected, retired or merged.
    """

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_accepted.v1"] = "taxonomy.mode_accepted.v1"
    mode_id: Name
    accepted_by: Name
    """A person's id, or `rule`."""
    reason: str


class ModeRejected(Event):
    """A person rejected a proposed mode: nothing is assigned to it, and its like is not proposed again."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_rejected.v1"] = "taxonomy.mode_rejected.v1"
    mode_id: Name
    rejected_by: Name
    reason: str | None = None


class ModeDefined(Event):
    """A team said what a mode of theirs is, or changed what a mode is. The last definition counts, whole."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_defined.v1"] = "taxonomy.mode_defined.v1"
    mode_id: Name
    name: Words
    parent: Name | None = None
    """The group that it stands in, or the id of another mode."""
    definition: Words | None = None
    not_this: Words | None = None
    """What is easily taken for it, and which mode that is."""
    examples: tuple[Words, ...] = ()
    """Texts that show it, written by the team. Beside those of a seeded mode, not in their place."""
    example_keys: tuple[EventKey, ...] = ()
    """Comments that show it, by event key."""
    owner: Name | None = None
    """The person or team that looks after it."""
    defined_by: Name


class ModeRenamed(Event):
    """A mode got another name. Its id stays."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_renamed.v1"] = "taxonomy.mode_renamed.v1"
    mode_id: Name
    name: Words
    renamed_by: Name
    reason: str | None = None


class ModeMerged(Event):
    """Several modes became one: what shows one of them counts as the target's from now on, at all times."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_merged.v1"] = "taxonomy.mode_merged.v1"
    mode_id: Name
    """The target."""
    merged: tuple[Name, ...]
    """The modes that count as it."""
    merged_by: Name
    """A person's id, or `rule`."""
    reason: str | None = None
    proposal_id: Name | None = None
    """The proposal that this follows."""


class ModePart(BaseModel):
    """One of the modes that a mode was split into: a discovered one by its id, or a new one with what shows it."""

    model_config = ConfigDict(frozen=True)

    mode_id: Name
    name: Words | None = None
    """None: the name that the mode has already."""
    definition: Words | None = None
    not_this: Words | None = None
    examples: tuple[Words, ...] = ()
    """Texts that show it, written by the team."""
    example_keys: tuple[EventKey, ...] = ()
    """Comments that show it, by event key."""


class ModeSplit(Event):
    """One mode became several. It stands for nothing any more; its comments go to the parts, by what shows each."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_split.v1"] = "taxonomy.mode_split.v1"
    mode_id: Name
    parts: tuple[ModePart, ...]
    split_by: Name
    """A person's id, or `rule`."""
    reason: str | None = None
    proposal_id: Name | None = None
    """The proposal that this follows."""


class ModeRetired(Event):
    """A mode ended: nothing is assigned to it, and no spec is made of it."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.mode_retired.v1"] = "taxonomy.mode_retired.v1"
    mode_id: Name
    retired_by: Name
    reason: str | None = None


class MergeProposed(Event):
    """A discovery found that modes say nearly the same. A person, or a rule, merges them or rejects it."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.merge_proposed.v1"] = "taxonomy.merge_proposed.v1"
    proposal_id: Name
    """Hash of the modes."""
    mode_id: Name
    """The target."""
    merged: tuple[Name, ...]
    discovery_id: Name
    closeness: float
    """How near they are, 0 to 1; what it is says `reason`."""
    reason: str


class SplitProposed(Event):
    """A discovery found that the comments of a mode say several things. The parts are modes that it has proposed."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.split_proposed.v1"] = "taxonomy.split_proposed.v1"
    proposal_id: Name
    """Hash of the modes."""
    mode_id: Name
    part_ids: tuple[Name, ...]
    discovery_id: Name
    closeness: float
    """The largest cosine between the centroids of two parts."""
    reason: str


class ProposalRejected(Event):
    """A person rejected the proposal of a merge or split; it is not proposed again."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "proposal_id"

    type: Literal["taxonomy.proposal_rejected.v1"] = "taxonomy.proposal_rejected.v1"
    proposal_id: Name
    rejected_by: Name
    reason: str | None = None


class TextLabelled(Event):
    """A person said which modes a comment shows. Their last word on a text counts."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "comment_key"

    type: Literal["taxonomy.text_labelled.v1"] = "taxonomy.text_labelled.v1"
    comment_key: EventKey
    """The comment or report that was read."""
    text_hash: Name
    """Equal for texts that count as the same, for which the label holds too."""
    modes: tuple[Name, ...]
    """Ids of the modes that it shows, or `praise`; empty: none of them."""
    labelled_by: Name


class LabelWithdrawn(Event):
    """A person took back what they had said of a text: they have said nothing of it."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "comment_key"

    type: Literal["taxonomy.label_withdrawn.v1"] = "taxonomy.label_withdrawn.v1"
    comment_key: EventKey
    text_hash: Name
    labelled_by: Name


class AlertRaised(Event):
    """A failure mode moved more than chance explains: what rose, where, and against what."""

    topic: ClassVar[str] = "taxonomy"
    key_field: ClassVar[str] = "mode_id"

    type: Literal["taxonomy.alert_raised.v1"] = "taxonomy.alert_raised.v1"
    kind: Literal["emerging", "drift"]
    """A mode that is new or grows fast, or a share that has moved."""
    mode_id: Name
    subject: Name | None = None
    """What it is about: `checkpoint:` or `variant:` and an id, say; None: all feedback."""
    window_start: Name
    """First UTC day, as YYYY-MM-DD."""
    window_end: Name
    """Last UTC day."""
    value: float
    """The share of the window's feedback that shows the mode, or the growth; what it is says `message`."""
    low: float
    """Of the interval around `value`."""
    high: float
    baseline: float
    """What `value` is compared with: the same of the time before."""
    message: str
    """One sentence that says all of it."""
