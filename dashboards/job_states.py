"""Jobs in words: as the log has them now where it can be looked at, else as of the build. Pure."""

from datetime import datetime

from dashboards.pulse import Pulse
from dashboards.table import Row

OPEN = ("running", "queued", "stuck")
"""States of a job that is not over."""


def live(pulse: Pulse) -> list[Row]:
    """One row a job, newest first: job_id, kind, spec_id, checkpoint_id, state, epoch, owner, step, phase, reason,
    queued_at, updated_at."""
    rows = [
        {
            "job_id": job.job_id, "kind": job.kind, "spec_id": job.spec_id, "checkpoint_id": job.checkpoint_id,
            "state": _state(job.status, job.lease_until, pulse.at), "epoch": job.epoch, "owner": job.owner,
            "attempts": job.epoch - job.yielded, "step": job.step, "phase": job.phase, "reason": job.reason,
            "queued_at": job.queued_at, "updated_at": job.updated_at,
        }
        for job in pulse.jobs.values()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row["updated_at"], row["job_id"]), reverse=True)


def built(rows: list[Row]) -> list[Row]:
    """The same from rows of `fct_jobs`; whether a lease has run out the build can't know."""
    return [{**row, "state": _state(row["status"], None, row["updated_at"])} for row in rows]


def _state(status: str, lease_until: datetime | None, now: datetime) -> str:
    if status != "claimed":
        return status
    return "stuck" if lease_until is not None and now > lease_until else "running"
