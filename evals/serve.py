"""What the eval worker does with a job: score a checkpoint on a frozen set, or let a judge score feedback.

A judge reads texts a chunk at a time. A policy is asked now, several samples at once, or is scored on what it answered
when it was served. A worker that takes over goes on with the attempts that are not over. Left out: who may be asked,
which whoever starts the worker says (`open_policy`).
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from evals.acting import act
from evals.asking import complete, with_rollout
from evals.behaviours.rubric import RubricJudge
from evals.crew import crew
from evals.judging import given, judged
from evals.outcome import Outcome
from evals.policies.policy import UnderTest
from evals.policies.recorded import Recorded, completions
from evals.progress import chunks
from evals.run import Enough, EvalRun
from evals.scorers import SCORERS, EpisodeScorer, JudgeScorer, PolicyScorer, Scorer
from ingest.jobs.attempt import Attempt, Stopped
from ingest.jobs.samples import Sample, read_samples
from models.errors import TerminalError
from models.protocols import OpenJudge
from models.specs import EvalSpec, JudgingSpec

CHUNK = 500
"""Samples between two saves. Texts are embedded in batches by length, so that small chunks waste half of them."""
GRACE_S = 5.0
"""A worker that is told to end waits so long for the replies that are on their way."""


class Opened(NamedTuple):
    """A policy, and whether it is scored on what it answered when it was served: on its own samples, once each."""

    under: UnderTest
    served: bool


class OpenPolicy(Protocol):
    """Opens a policy by checkpoint id. Raises TerminalError where it can't be asked."""

    def __call__(self, checkpoint_id: str, samples: Sequence[Sample]) -> Opened:
        """The policy, ready to be asked. `samples`: of the set, with what was answered."""
        ...


class Options(NamedTuple):
    """What whoever starts the worker may say."""

    parallel: int | None = None
    """Attempts at once; None: as many as the policy likes."""
    max_usd: float | None = None
    """A job may cost so much; attempts that are under way then are still paid."""
    seconds: float = 600.0
    """For one attempt, waiting for turns included."""
    enough: Enough | None = None
    """When the answer is clear; None: every sample is asked."""


def open_served(checkpoint_id: str, samples: Sequence[Sample]) -> Opened:
    """Any policy, by what it answered when it was served."""
    return Opened(completions(checkpoint_id, samples), served=True)


def run_eval(
    attempt: Attempt,
    open_judge: OpenJudge,
    chunk: int = CHUNK,
    *,
    open_policy: OpenPolicy = open_served,
    options: Options = Options(),  # noqa: B008 - frozen
    rubric_judge: RubricJudge | None = None,
) -> None:
    """Score the job's checkpoint; appends a result for each attempt, and the metric with its 95% interval.

    Raises TerminalError for an unknown scorer, one of another role, a set, judge or policy that can't be read or asked,
    and a limit of money where nobody knows prices.
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
    if isinstance(scorer, JudgeScorer):
        judge = open_judge(checkpoint_id)
        run = EvalRun(attempt, checkpoint_id, spec.scorer.name, samples)
        for part in chunks(list(run.progress.open()), chunk):
            outcomes = judged(scorer, judge, [run.sample(number) for number in part], spec.scorer.args)
            run.keep(zip(part, outcomes, strict=True))
        run.complete(scorer.metric)
        return
    under, served = open_policy(checkpoint_id, samples)
    with contextlib.closing(under):
        if served:
            samples = [sample for sample in samples if sample.checkpoint_id == checkpoint_id]
        if options.max_usd is not None and not under.priced:
            raise TerminalError(
                f"a limit of {options.max_usd} US dollars can't be kept: nobody says what {checkpoint_id} costs. Give "
                "it usd_per_million in policies.yml, or leave the limit out"
            )
        run = EvalRun(
            attempt, checkpoint_id, spec.scorer.name, samples, trials=1 if served else spec.trials,
            phase="score" if served else "rollout", max_usd=options.max_usd,
            enough=options.enough,
        )  # fmt: skip
        work = _work(run, under, scorer, spec, options.seconds, served=served, judge=rubric_judge)
        # What was recorded costs nothing: read again after a kill, it was not asked twice.
        free = isinstance(under, Recorded) and options.max_usd is None and options.enough is None
        _ask(run, work, options.parallel or under.parallel, chunk if free else 1)
        run.complete(scorer.metric)


def _work(
    run: EvalRun, under: UnderTest, scorer: PolicyScorer | EpisodeScorer, spec: EvalSpec, seconds: float, *,
    served: bool, judge: RubricJudge | None,
) -> Callable[[int], Outcome]:  # fmt: skip
    """What one attempt is. Called from several threads."""
    job_id, name = run.attempt.job.job_id, run.checkpoint_id

    def work(number: int) -> Outcome:
        sample, trial = run.sample(number), run.trial(number)
        policy = under.at(sample.sample_id, trial)
        if isinstance(scorer, EpisodeScorer):
            return act(policy, sample, seconds, judge, job_id=job_id, trial=trial, checkpoint_id=name)
        outcome, reply = complete(policy, sample, scorer, spec.scorer.args, seconds)
        if reply is None or served:
            return outcome
        return with_rollout(outcome, reply, sample, job_id=job_id, trial=trial, checkpoint_id=name)

    return work


def _ask(run: EvalRun, work: Callable[[int], Outcome], parallel: int, together: int) -> None:
    """Carry out the open attempts. What is done is kept also where the worker is told to end."""
    with crew(work, parallel, together) as workers:
        try:
            for finished in workers.finished(run.affordable(), run.beat):
                run.keep(finished)
        except Stopped:
            with contextlib.suppress(Stopped):
                run.keep(workers.wait(GRACE_S, whole=True))
            raise


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
        attempt.beat(done, "score", total=len(samples))
        part = samples[done : done + chunk]
        attempt.emit(given(attempt, spec, judge, part, version))
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
