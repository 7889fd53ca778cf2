"""Putting a job on the log. Its id says what it is, so that queueing the same again changes nothing."""

from ingest.log import EventLog, publish
from models.events.job import JobKind, JobQueued
from models.ids import content_id, event_id

SOURCE = "flywheel/jobs"


def job_queued(
    kind: JobKind,
    spec_id: str,
    checkpoint_id: str | None = None,
    look: int = 1,
    *,
    lease_s: float = 90.0,
    attempts: int = 3,
) -> JobQueued:
    """The event that queues a spec, for evals and judgings with the checkpoint that is asked."""
    job_id = content_id("job", [kind, spec_id, checkpoint_id, look])
    return JobQueued(
        id=event_id(job_id, "queued"),
        source=SOURCE,
        job_id=job_id,
        kind=kind,
        spec_id=spec_id,
        checkpoint_id=checkpoint_id,
        look=look,
        lease_s=lease_s,
        attempts=attempts,
    )


def queue(
    log: EventLog,
    kind: JobKind,
    spec_id: str,
    checkpoint_id: str | None = None,
    look: int = 1,
    *,
    lease_s: float = 90.0,
    attempts: int = 3,
) -> str:
    """Append the event and return the job's id."""
    event = job_queued(kind, spec_id, checkpoint_id, look, lease_s=lease_s, attempts=attempts)
    publish(log, [event])
    return event.job_id
