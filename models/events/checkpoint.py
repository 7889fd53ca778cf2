"""Checkpoints: what a training job made, or what was there before."""

from typing import ClassVar, Literal

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
