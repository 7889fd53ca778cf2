"""Checkpoints: what a training job made, or what was there before."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from models.events.base import Event
from models.feedback import Name
from models.ids import FileName, FilePath, Sha256
from models.roles import Role


class CheckpointRegistered(Event):
    """A checkpoint can be loaded. One that a job made counts once that epoch of the job is the one that completed."""

    topic: ClassVar[str] = "checkpoints"
    key_field: ClassVar[str] = "checkpoint_id"

    type: Literal["checkpoint.registered.v1"] = "checkpoint.registered.v1"
    checkpoint_id: Name
    """Any name, as in `org/model`: where its files lie is said by `path`, never by its id."""
    role: Role
    method: Name
    """How it was made: a training method, `lexicon` for the baseline judge, `served` for a product's own policy."""
    base_checkpoint_id: Name | None = None
    parent_ids: tuple[str, ...] = ()
    spec_id: Name | None = None
    data_sha256: Sha256 | None = None
    artifact_sha256: Sha256 | None = None
    """Digest of its files; None where there are none (recorded answers, a rule)."""
    path: FilePath | None = None
    """Folder relative to the home."""
    job_id: FileName | None = None
    epoch: int | None = None

    @property
    def version(self) -> str:
        """What tells it from others like it: the beginning of its files' digest; its method, where it has none."""
        return self.artifact_sha256[:12] if self.artifact_sha256 else self.method


class Finding(BaseModel):
    """One comparison that a decision about a checkpoint rests on."""

    model_config = ConfigDict(frozen=True)

    bar: Literal["improves", "does_not_fall", "hack_gap", "confirmed"]
    """`hack_gap`: lenient less strict, which must not have grown. `confirmed`: on samples that no look has seen."""
    spec_key: Name
    spec_id: Name
    against: Name
    """The checkpoint that it is compared with: the champion, or the parent."""
    value: float | None = None
    """The candidate's mean over the pairs; None where there are none."""
    other: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    """Of the difference, at `level`."""
    level: float
    """Error that this comparison may use up, one-sided."""
    margin: float = 0.0
    samples: int
    """Pairs: samples that both have a score for."""
    clusters: int
    holds: bool
    more_samples: int | None = None
    """How many more would decide it; None where it is decided, or no number would."""
    reason: str


class CheckpointPromoted(Event):
    """A checkpoint took the place of its role's champion, on this evidence."""

    topic: ClassVar[str] = "checkpoints"
    key_field: ClassVar[str] = "checkpoint_id"

    type: Literal["checkpoint.promoted.v1"] = "checkpoint.promoted.v1"
    checkpoint_id: Name
    role: Role
    replaces: Name | None = None
    """The champion until now; None: there was none."""
    lineage: Name
    """The line of candidates against one champion, which spends one budget of error."""
    place: int
    """Which confirmation of its lineage this was, from 1; 0: the first champion, which needs none."""
    spent: float
    """Error that the lineage has spent, this decision included."""
    evidence: tuple[Finding, ...] = ()


class CheckpointRefused(Event):
    """A checkpoint did not take the champion's place: which bar failed, and what would decide."""

    topic: ClassVar[str] = "checkpoints"
    key_field: ClassVar[str] = "checkpoint_id"

    type: Literal["checkpoint.refused.v1"] = "checkpoint.refused.v1"
    checkpoint_id: Name
    role: Role
    champion_id: Name | None = None
    lineage: Name
    place: int
    """Which confirmation of its lineage this was, from 1; 0: it came to none, and nothing was spent."""
    spent: float
    evidence: tuple[Finding, ...] = ()
    reason: str
    more_samples: int | None = None


class JudgeWithdrawn(Event):
    """A judge gates no more: it has drifted from the people that it was calibrated on, or never agreed with them."""

    topic: ClassVar[str] = "checkpoints"
    key_field: ClassVar[str] = "checkpoint_id"

    type: Literal["checkpoint.judge_withdrawn.v1"] = "checkpoint.judge_withdrawn.v1"
    checkpoint_id: Name
    reason: str
