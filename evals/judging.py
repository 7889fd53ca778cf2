"""A judge on texts: scored against what is known of them, or giving scores of its own."""

import math
from collections.abc import Iterator, Sequence

from evals.outcome import LEFT_OUT, Outcome, missing
from evals.scorers import JudgeScorer
from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import Sample
from models.events.score import ScoreGiven
from models.feedback import Author, Target
from models.protocols import Judge, Judgement
from models.specs import Args, JudgingSpec


def judged(scorer: JudgeScorer, judge: Judge, samples: Sequence[Sample], args: Args) -> list[Outcome]:
    """What `scorer` makes of the judge's word on each sample."""
    with_text = [sample.text for sample in samples if sample.text is not None]
    answers = judge.judge(with_text) if with_text else []
    if len(answers) != len(with_text):
        said = f"{judge.checkpoint_id} gives {len(answers)} judgements on {len(with_text)} texts"
        return [missing("judge", said) for _ in samples]
    left = iter(answers)
    return [
        missing("no_target", "the text is unknown")
        if sample.text is None
        else _scored(scorer, sample, next(left), args)
        for sample in samples
    ]


def _scored(scorer: JudgeScorer, sample: Sample, said: Judgement, args: Args) -> Outcome:
    if (wrong := outside(said)) is not None:
        return missing("judge", wrong)
    score = scorer.score(sample, said, args)
    return LEFT_OUT if score is None else Outcome(score)


def outside(said: Judgement) -> str | None:
    """What in a judgement is outside of what a judge may answer; None: nothing."""
    for name, value in (("negative", said.negative), ("mode_probability", said.mode_probability)):
        if not (math.isfinite(value) and 0.0 <= value <= 1.0):
            return f"the judge answers outside its labels: {name} is {value}, which is no probability"
    if said.mode_id is not None and not said.mode_id.strip():
        return "the judge answers outside its labels: it names a failure mode without a name"
    return None


def given(
    attempt: Attempt, spec: JudgingSpec, judge: Judge, samples: Sequence[Sample], version: str | None
) -> list[ScoreGiven]:
    """The judge's own scores of feedback that nobody voted on; samples without a target are passed over."""
    answers = iter(judge.judge([sample.text for sample in samples if sample.text is not None]))
    return list(_given(attempt, spec, answers, samples, version))


def _given(
    attempt: Attempt, spec: JudgingSpec, answers: Iterator[Judgement], samples: Sequence[Sample], version: str | None
) -> Iterator[ScoreGiven]:
    for sample in samples:
        said = next(answers) if sample.text is not None else None
        if sample.target_kind is None or sample.target_id is None:
            continue
        score = None if said is None else said.negative
        target = Target(kind=sample.target_kind, id=sample.target_id)
        yield score_given(attempt, spec, sample, version, target=target, score=score)


def score_given(
    attempt: Attempt, spec: JudgingSpec, sample: Sample, version: str | None, *, target: Target, score: float | None
) -> ScoreGiven:
    """The event for one text; None where it has no words to judge."""
    return ScoreGiven(
        id=attempt.event_id("judged", sample.sample_id),
        source=attempt.source,
        target=target,
        author=Author(kind="code", id=spec.checkpoint_id),
        metric=spec.metric,
        data_type="numeric",
        value=score,
        status="skipped" if score is None else "scored",
        scale_min=0.0,
        scale_max=1.0,
        better="lower",
        judge_version=version,
        native_id=sample.sample_id,
        job_id=attempt.job.job_id,
        epoch=attempt.epoch,
    )
