"""The events of an eval: one an attempt, one for the whole."""

from collections.abc import Mapping, Sequence

from evals.interval import interval_of
from evals.outcome import Outcome
from evals.progress import Progress, by_sample
from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import Sample
from models.events.result import EvalCompleted, EvalSampleScored


def scored_event(
    attempt: Attempt, checkpoint_id: str, scorer: str, sample: Sample, outcome: Outcome, *, trial: int,
    cluster: str | None,
) -> EvalSampleScored:  # fmt: skip
    """The event for one attempt at a sample; where there is no score, that is not 0."""
    score, usage = outcome.score, outcome.usage
    return EvalSampleScored(
        id=attempt.event_id("sample", sample.sample_id, *((trial,) if trial else ())),
        source=attempt.source,
        spec_id=attempt.job.spec_id,
        checkpoint_id=checkpoint_id,
        job_id=attempt.job.job_id,
        epoch=attempt.epoch,
        sample_id=sample.sample_id,
        scorer=scorer,
        status="errored" if score is None else "scored",
        score=None if score is None else score.value,
        answer=None if score is None else score.answer,
        explanation=outcome.reason if score is None else score.explanation,
        trial=trial,
        cluster=cluster,
        lenient=outcome.lenient,
        fault=outcome.fault,
        truncated=outcome.truncated,
        judge_id=outcome.judge_id,
        judge_version=outcome.judge_version,
        rollout_id=outcome.rollout_id,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        usd=usage.usd,
        seconds=usage.seconds,
    )


def completed_event(
    attempt: Attempt,
    checkpoint_id: str,
    metric: str,
    *,
    progress: Progress,
    samples: Sequence[Sample],
    clusters: Mapping[str, str],
) -> EvalCompleted:
    """The metric over what could be scored. `clusters`: sample id -> cluster, where it has one.

    Attempts that were left out are those neither scored nor errored.
    """
    scores = by_sample(progress)
    named = {place: clusters.get(samples[place].sample_id, f"={place}") for place in scores}
    found = interval_of([(named[place], values) for place, values in scores.items()])
    return EvalCompleted(
        id=attempt.event_id("eval"),
        source=attempt.source,
        spec_id=attempt.job.spec_id,
        checkpoint_id=checkpoint_id,
        job_id=attempt.job.job_id,
        epoch=attempt.epoch,
        metric=metric,
        value=found.value if found else None,
        low=found.low if found else None,
        high=found.high if found else None,
        interval=found.method if found else None,
        samples=progress.done,
        scored=len(progress.scores),
        errored=progress.errored,
        trials=progress.trials,
        clusters=len(set(named.values())) if clusters else None,
        unasked=progress.unasked,
        prompt_tokens=progress.prompt_tokens,
        completion_tokens=progress.completion_tokens,
        usd=progress.usd,
    )
