"""Letting a model under test act in the world of a sample; its rollout is kept."""

from collections.abc import Sequence
from datetime import UTC, datetime

from environments.world import Offer
from evals.agents.rollout import recorded
from evals.behaviours.episode import run_episode
from evals.behaviours.rubric import RubricJudge
from evals.outcome import Outcome, missing
from evals.policies.policy import Policy, Reply, Unreadable
from evals.scorers import Score
from ingest.jobs.samples import Sample
from models.errors import TerminalError
from models.events.rollout import Step


class _Listening:
    """A policy, and whether what it gave could not be read; its seconds are summed up."""

    def __init__(self, policy: Policy) -> None:
        self.name, self._policy = policy.name, policy
        self.unreadable = False
        self.seconds: float | None = None

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        try:
            reply = self._policy.reply(steps, tools, seconds)
        except Unreadable:
            self.unreadable = True
            raise
        if reply.usage.seconds is not None:
            self.seconds = (self.seconds or 0.0) + reply.usage.seconds
        return reply


def act(
    policy: Policy, sample: Sample, seconds: float, judge: RubricJudge | None, *, job_id: str, trial: int,
    checkpoint_id: str,
) -> Outcome:  # fmt: skip
    """One episode, of at most `seconds`. A sample that can't be read has nothing to be scored against."""
    if sample.episode is None:
        return missing("no_target", "the sample holds no episode")
    listening = _Listening(policy)
    try:
        result = run_episode(sample.episode, listening, seconds, judge)
    except TerminalError as error:
        return missing("no_target", str(error))
    rollout = recorded(
        result.ended, run_id=job_id, task_id=sample.sample_id, agent=checkpoint_id, trial=trial,
        occurred_at=datetime.now(UTC), checkpoint_id=checkpoint_id, reward=result.strict,
    )  # fmt: skip
    usage = result.usage._replace(seconds=round(listening.seconds or result.ended.seconds, 4))
    held = sum(check.passed is True for check in result.checks)
    told = Outcome(
        lenient=result.lenient,
        usage=usage,
        truncated=result.truncated,
        rollout_id=rollout.rollout_id,
        judge_id=result.judge_id,
        judge_version=result.judge_version,
        beside=(rollout,),
    )
    if result.strict is None:
        fault = "unreadable" if listening.unreadable else result.fault or "infrastructure"
        return told._replace(fault=fault, reason=result.explanation)
    return told._replace(score=Score(result.strict, f"{held} of {len(result.checks)} checks", result.explanation))
