"""A job's life. The order of the log decides every claim: see `ingest/jobs/fold.py`."""

from typing import ClassVar, Literal

from models.events.base import Event
from models.feedback import Name
from models.ids import FileName, Sha256

JobKind = Literal["train", "eval", "judge", "attempt"]
Phase = Literal["load", "rollout", "score", "update", "evaluate", "save"]


class JobQueued(Event):
    """A spec waits for a worker. Lease and attempts travel here, so that every reader folds alike."""

    topic: ClassVar[str] = "jobs"
    key_field: ClassVar[str] = "job_id"

    type: Literal["job.queued.v1"] = "job.queued.v1"
    job_id: FileName
    kind: JobKind
    spec_id: Name
    checkpoint_id: Name | None = None
    """What is evaluated or judges; None for training."""
    look: int = 1
    """The how-manieth look at the same (spec, checkpoint)."""
    lease_s: float = 90.0
    attempts: int = 3


class JobClaimed(Event):
    """A worker asks for the job. It wins if epoch is the last one plus 1 and the job is queued or its lease ran out."""

    topic: ClassVar[str] = "jobs"
    key_field: ClassVar[str] = "job_id"

    type: Literal["job.claimed.v1"] = "job.claimed.v1"
    job_id: FileName
    epoch: int
    owner: Name
    resumes_epoch: int | None = None
    """The epoch whose saved progress it continues; None: it starts afresh."""
    resumes_step: int | None = None
    resumes_sha256: Sha256 | None = None


class JobHeartbeat(Event):
    """The worker is alive, and this far. Counts only for the current (epoch, owner)."""

    topic: ClassVar[str] = "jobs"
    key_field: ClassVar[str] = "job_id"

    type: Literal["job.heartbeat.v1"] = "job.heartbeat.v1"
    job_id: FileName
    epoch: int
    owner: Name
    step: int
    phase: Phase


class JobYielded(Event):
    """The worker gave the job back: it was asked to end, or a more urgent job goes first. No attempt is used up."""

    topic: ClassVar[str] = "jobs"
    key_field: ClassVar[str] = "job_id"

    type: Literal["job.yielded.v1"] = "job.yielded.v1"
    job_id: FileName
    epoch: int
    owner: Name
    reason: str


class JobCompleted(Event):
    """The job is done. A late completion of an epoch that is no longer current counts for nothing."""

    topic: ClassVar[str] = "jobs"
    key_field: ClassVar[str] = "job_id"

    type: Literal["job.completed.v1"] = "job.completed.v1"
    job_id: FileName
    epoch: int
    owner: Name
    artifact_sha256: Sha256 | None = None


class JobFailed(Event):
    """The attempt failed. The job is tried again while attempts are left and the fault is transient."""

    topic: ClassVar[str] = "jobs"
    key_field: ClassVar[str] = "job_id"

    type: Literal["job.failed.v1"] = "job.failed.v1"
    job_id: FileName
    epoch: int
    owner: Name
    reason: str
    retryable: bool
