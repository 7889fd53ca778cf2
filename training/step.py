"""One number of a training run, as the event that logs it."""

from ingest.jobs.attempt import Attempt
from models.events.result import TrainingStepLogged


def logged(attempt: Attempt, step: int, metric: str, value: float) -> TrainingStepLogged:
    """The event: the same for the same attempt, step and metric."""
    return TrainingStepLogged(
        id=attempt.event_id("step", step, metric),
        source=attempt.source,
        spec_id=attempt.job.spec_id,
        job_id=attempt.job.job_id,
        epoch=attempt.epoch,
        step=step,
        metric=metric,
        value=value,
    )
