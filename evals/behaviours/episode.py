"""One sample, tried by one policy: the door for whoever runs evals."""

from collections.abc import Sequence
from typing import NamedTuple

from environments.local import LocalWorld
from environments.world import Offer
from evals.agents.agent import Budget, Ended
from evals.agents.loop import Loop
from evals.behaviours.rubric import Checked, Graded, RubricJudge, grade
from evals.behaviours.sample import BehaviourSample, parse_sample
from evals.behaviours.seen import Seen, calls_of
from evals.policies.policy import Policy, Refused, Reply, Usage
from models.errors import FlywheelError, TransientError
from models.events.result import Fault
from models.events.rollout import Step

LONGEST = 300
"""Characters of an explanation."""


class EpisodeResult(NamedTuple):
    """What came of an episode. `strict` is None exactly where there is a `fault`."""

    strict: float | None
    """1 if every check of the rubric holds, else 0."""
    lenient: float | None
    """1 if those of the outcome hold, whatever the way there; else 0."""
    fault: Fault | None
    """Why there is no score: that is never a zero."""
    explanation: str
    """Each check that doesn't hold, with what was seen; or what went wrong."""
    checks: tuple[Checked, ...]
    ended: Ended
    usage: Usage
    """The sum over all replies; None where no reply was counted."""
    truncated: bool
    """Some reply was cut off, as its tokens were used up."""
    cluster: str
    judge_id: str | None = None
    judge_version: str | None = None
    """Whose word is in the score."""


def run_episode(
    sample_json: str, policy: Policy, seconds: float, judge: RubricJudge | None = None, tokens: int = 500_000
) -> EpisodeResult:
    """Let `policy` act on the sample for at most `seconds` of wall clock. Safe to call from several threads at once.

    No answer, a time-out and a world that broke are the fault `infrastructure`; an endpoint that won't is `refused`; a
    judge that is missing or answers outside its labels is `judge`. A policy that used up its steps or tokens is scored
    as things stand. Raises TerminalError for JSON that is no sample.
    """
    return play(parse_sample(sample_json), policy, seconds, judge, tokens)


def play(
    sample: BehaviourSample, policy: Policy, seconds: float, judge: RubricJudge | None = None, tokens: int = 500_000
) -> EpisodeResult:
    """See `run_episode`."""
    world, counted = LocalWorld(sample.world), Counted(policy)
    before = world.state()
    budget = Budget(steps=sample.steps, seconds=seconds, tokens=tokens)
    ended = Loop(counted, world, sample.script, budget).run(sample.instructions)
    seen = Seen(ended.steps, calls_of(ended.steps), world.state(), before, ended.outcome)
    fault = _fault(ended, counted.broke)
    if fault is not None:
        return EpisodeResult(
            None, None, fault, ended.detail[:LONGEST], (), ended, counted.usage, counted.truncated, sample.cluster
        )
    return _scored(sample, grade(sample.rubric, seen, judge), ended, counted, judge)


def _scored(
    sample: BehaviourSample, graded: Graded, ended: Ended, counted: "Counted", judge: RubricJudge | None
) -> EpisodeResult:
    refused = isinstance(counted.broke, Refused)
    told = [f"{each.name}: {each.said}" for each in graded.checks if not each.passed]
    if ended.outcome != "finished":
        told.insert(0, f"ended by {ended.detail}")
    missing = graded.strict is None and not refused
    return EpisodeResult(
        0.0 if refused else graded.strict,
        None if missing else graded.lenient,
        "judge" if missing else None,
        "; ".join(told)[:LONGEST] or f"all {len(graded.checks)} checks hold",
        graded.checks,
        ended,
        counted.usage,
        counted.truncated,
        sample.cluster,
        judge.judge_id if judge and graded.judged else None,
        judge.judge_version if judge and graded.judged else None,
    )


def _fault(ended: Ended, broke: FlywheelError | None) -> Fault | None:
    if isinstance(broke, Refused):
        return None  # it cheated: that is scored
    if broke is not None:
        return "infrastructure" if isinstance(broke, TransientError) else "refused"
    return "infrastructure" if ended.outcome in ("timed_out", "failed") else None


class Counted:
    """A policy whose usage in one episode is summed up."""

    def __init__(self, policy: Policy) -> None:
        self.name = policy.name
        self.truncated = False
        self.broke: FlywheelError | None = None
        """What the policy raised."""
        self._policy, self._usages = policy, list[Usage]()

    @property
    def usage(self) -> Usage:
        """The sum over all replies so far; None where nobody counted."""
        prompt = [each.prompt_tokens for each in self._usages if each.prompt_tokens is not None]
        completion = [each.completion_tokens for each in self._usages if each.completion_tokens is not None]
        usd = [each.usd for each in self._usages if each.usd is not None]
        return Usage(
            sum(prompt) if prompt else None, sum(completion) if completion else None, sum(usd) if usd else None
        )

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        try:
            reply = self._policy.reply(steps, tools, seconds)
        except FlywheelError as error:
            self.broke = error
            raise
        self._usages.append(reply.usage)
        self.truncated = self.truncated or reply.finish == "length"
        return reply
