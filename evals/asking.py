"""Asking a model under test: a completion for a prompt, scored by rules."""

from datetime import UTC, datetime

from evals.agents.rollout import SOURCE, rollout_id
from evals.outcome import LEFT_OUT, Outcome, fault_of, missing
from evals.policies.policy import Policy, Reply
from evals.scorers import PolicyScorer
from ingest.jobs.samples import Sample
from models.errors import FlywheelError
from models.events.rollout import RolloutRecorded, Step
from models.ids import event_id
from models.specs import Args


def complete(
    policy: Policy, sample: Sample, scorer: PolicyScorer, args: Args, seconds: float
) -> tuple[Outcome, Reply | None]:
    """Ask for a completion of the sample's prompt within `seconds`, and score it. The reply, where there was one."""
    if sample.prompt is None:
        return missing("no_target", "the prompt is unknown"), None
    try:
        reply = policy.reply((Step(role="user", text=sample.prompt),), (), seconds)
    except FlywheelError as error:
        return fault_of(error), None
    if reply.text is None:
        asked = f", and calls {', '.join(call.tool for call in reply.calls)}" if reply.calls else ""
        return missing("unreadable", f"the reply has no text{asked}", reply.usage), reply
    score = scorer.score(sample.prompt, reply.text, args)
    if score is None:
        return LEFT_OUT._replace(usage=reply.usage), reply
    return Outcome(score, usage=reply.usage, truncated=reply.finish == "length"), reply


def with_rollout(
    outcome: Outcome, reply: Reply, sample: Sample, *, job_id: str, trial: int, checkpoint_id: str
) -> Outcome:
    """`outcome` with the rollout that keeps prompt and reply."""
    name = rollout_id(job_id, sample.sample_id, checkpoint_id, trial)
    rollout = RolloutRecorded(
        id=event_id("rollout", name),
        source=SOURCE,
        occurred_at=datetime.now(UTC),
        rollout_id=name,
        steps=(
            Step(role="user", text=sample.prompt),
            Step(role="assistant", text=reply.text, calls=reply.calls, seconds=reply.usage.seconds),
        ),
        task_id=sample.sample_id,
        trial=trial,
        model=checkpoint_id,
        checkpoint_id=checkpoint_id,
        tools=(),
        outcome="out_of_steps" if reply.finish == "length" else "finished",
        outcome_detail="cut off" if reply.finish == "length" else "answered",
        reward=None if outcome.score is None else outcome.score.value,
        audience="internal",
    )
    return outcome._replace(rollout_id=name, beside=(*outcome.beside, rollout))
