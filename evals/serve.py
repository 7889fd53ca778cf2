"""What the eval worker does with a job: score a checkpoint on a frozen set, or let a judge score feedback.

Samples go in the order of their ids, a chunk at a time: score, append, save how far it is. A worker that takes over
goes on after the last saved chunk. Left out: generating completions; a policy's are in the set, as they were served.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from evals.scorers import SCORERS, JudgeScorer, PolicyScorer, Score, Scorer
from ingest.jobs.attempt import Attempt
from ingest.jobs.samples import Sample, read_samples
from models.errors import TerminalError
from models.events.result import EvalCompleted, EvalSampleScored
from models.events.score import ScoreGiven
from models.feedback import Author, Target
from models.protocols import Judge, OpenJudge
from models.specs import Args, EvalSpec, JudgingSpec
from stats.wilson import wilson

CHUNK = 500
"""Samples between two saves. Texts are embedded in batches by length, so that small chunks waste half of them."""


class Tally(NamedTuple):
    """What came of the first `done` samples; saved after each chunk."""

    done: int = 0
    scored: int = 0
    errored: int = 0
    total: float = 0.0
    """The sum of the scores."""


def run_eval(attempt: Attempt, open_judge: OpenJudge, chunk: int = CHUNK) -> None:
    """Score the job's checkpoint; appends a result a sample and the metric with its 95% interval.

    Raises TerminalError for an unknown scorer, one of another role, and a set or judge that can't be read.
    """
    spec = attempt.issued.spec
    checkpoint_id = asked(attempt)
    if not isinstance(spec, EvalSpec):
        raise TerminalError(
            f"Job {attempt.job.job_id} evaluates, but {attempt.job.spec_id} is a {type(spec).__name__}."
        )
    scorer = scorer_for(attempt.job.spec_id, spec)
    attempt.beat(0, "load")
    samples = read_samples(attempt.home, spec.data)
    if isinstance(scorer, PolicyScorer):
        samples = [sample for sample in samples if sample.checkpoint_id == checkpoint_id]
    judge = open_judge(checkpoint_id) if isinstance(scorer, JudgeScorer) else None
    tally = Tally(*json.loads(attempt.state.content)) if attempt.state else Tally()
    while tally.done < len(samples):
        attempt.beat(tally.done, "score")
        part = samples[tally.done : tally.done + chunk]
        scores = score_all(scorer, judge, part, spec.scorer.args)
        attempt.emit(
            [
                scored_event(attempt, checkpoint_id, spec.scorer.name, sample, score)
                for sample, score in zip(part, scores, strict=True)
                if score is not None
            ]
        )
        values = [score.value for score in scores if isinstance(score, Score)]
        errors = sum(isinstance(score, str) for score in scores)
        tally = Tally(
            tally.done + len(part), tally.scored + len(values), tally.errored + errors, tally.total + sum(values)
        )
        attempt.save(tally.done, json.dumps(tally).encode())
    attempt.emit([completed_event(attempt, checkpoint_id, scorer.metric, tally)])


def run_judging(attempt: Attempt, open_judge: OpenJudge, chunk: int = CHUNK) -> None:
    """Let the spec's judge score each sample's text: a `ScoreGiven` about the sample's target, 0 content to 1 not.

    Its native id is the sample, since comments may share a target. A sample without text is skipped, not scored 0; one
    without a target is passed over. Raises TerminalError where the set or the judge can't be read, and for a judge that
    was withdrawn.
    """
    spec = attempt.issued.spec
    if not isinstance(spec, JudgingSpec):
        raise TerminalError(f"Job {attempt.job.job_id} judges, but {attempt.job.spec_id} is a {type(spec).__name__}.")
    attempt.beat(0, "load")
    samples = read_samples(attempt.home, spec.data)
    version = attempt.judge_version(spec.checkpoint_id)
    judge = open_judge(spec.checkpoint_id)
    done = attempt.state.step if attempt.state else 0
    while done < len(samples):
        attempt.beat(done, "score")
        part = samples[done : done + chunk]
        answers = iter(judge.judge([sample.text for sample in part if sample.text is not None]))
        scores = [next(answers).negative if sample.text is not None else None for sample in part]
        attempt.emit(
            [
                score_given(attempt, spec, sample, version, target=Target(kind=kind, id=target_id), score=score)
                for sample, score in zip(part, scores, strict=True)
                if (kind := sample.target_kind) is not None and (target_id := sample.target_id) is not None
            ]
        )
        done += len(part)
        attempt.save(done, b"judged")


def asked(attempt: Attempt) -> str:
    """The checkpoint that the job is about. Raises TerminalError where it names none."""
    if attempt.job.checkpoint_id is None:
        raise TerminalError(f"Job {attempt.job.job_id} names no checkpoint: queue it with the one to score.")
    return attempt.job.checkpoint_id


def scorer_for(spec_id: str, spec: EvalSpec) -> Scorer:
    """The spec's scorer. Raises TerminalError where there is none of its name, or it is for another role."""
    scorer = SCORERS.get(spec.scorer.name)
    if scorer is None:
        raise TerminalError(f"Spec {spec_id} asks for the scorer {spec.scorer.name!r}; known: {', '.join(SCORERS)}.")
    role = "judge" if isinstance(scorer, JudgeScorer) else "policy"
    if spec.role != role:
        raise TerminalError(f"Spec {spec_id} is about a {spec.role}; the scorer {spec.scorer.name} scores a {role}.")
    return scorer


def score_all(scorer: Scorer, judge: Judge | None, samples: Sequence[Sample], args: Args) -> list[Score | str | None]:
    """For each sample its score, why it could not be scored, or None where it is not part of the metric."""
    if isinstance(scorer, PolicyScorer):
        return [
            "the prompt or the completion is unknown"
            if sample.prompt is None or sample.completion is None
            else scorer.score(sample.prompt, sample.completion, args)
            for sample in samples
        ]
    assert judge is not None, "a judge's scorer comes with a judge"
    answers = iter(judge.judge([sample.text for sample in samples if sample.text is not None]))
    return [
        "the text is unknown" if sample.text is None else scorer.score(sample, next(answers), args)
        for sample in samples
    ]


def scored_event(
    attempt: Attempt, checkpoint_id: str, scorer: str, sample: Sample, score: Score | str
) -> EvalSampleScored:
    """The event for one sample; an error has no score, which is not 0."""
    scored = isinstance(score, Score)
    return EvalSampleScored(
        id=attempt.event_id("sample", sample.sample_id),
        source=attempt.source,
        spec_id=attempt.job.spec_id,
        checkpoint_id=checkpoint_id,
        job_id=attempt.job.job_id,
        epoch=attempt.epoch,
        sample_id=sample.sample_id,
        scorer=scorer,
        status="scored" if scored else "errored",
        score=score.value if scored else None,
        answer=score.answer if scored else None,
        explanation=score.explanation if scored else score,
    )


def completed_event(attempt: Attempt, checkpoint_id: str, metric: str, tally: Tally) -> EvalCompleted:
    """The metric over what could be scored. Samples that were left out are those neither scored nor errored."""
    interval = wilson(min(tally.total, tally.scored), tally.scored) if tally.scored else None
    return EvalCompleted(
        id=attempt.event_id("eval"),
        source=attempt.source,
        spec_id=attempt.job.spec_id,
        checkpoint_id=checkpoint_id,
        job_id=attempt.job.job_id,
        epoch=attempt.epoch,
        metric=metric,
        value=tally.total / tally.scored if tally.scored else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        interval="wilson" if interval else None,
        samples=tally.done,
        scored=tally.scored,
        errored=tally.errored,
    )


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
