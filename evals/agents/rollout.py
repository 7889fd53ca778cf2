"""From what an agent did to the event that keeps it, and to the commands that tripwires look at."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from evals.agents.agent import Ended
from evals.grader.tripwires.case import Said
from models.events.rollout import RolloutRecorded, Step
from models.ids import content_id, event_id

SOURCE = "flywheel/evals"
WRITTEN = ("text", "old", "new", "content")
"""Arguments that hold what goes into a file."""


def rollout_id(run_id: str, task_id: str, agent: str, trial: int) -> str:
    """The same run, task, agent and attempt give the same id, whenever it is written."""
    return content_id("rollout", [run_id, task_id, agent, trial])


def recorded(
    ended: Ended,
    *,
    run_id: str,
    task_id: str,
    agent: str,
    trial: int = 0,
    occurred_at: datetime | None = None,
    model: str | None = None,
    checkpoint_id: str | None = None,
    reward: float | None = None,
) -> RolloutRecorded:
    """The event of a rollout. `run_id` names the job or campaign; `reward` is the grade's, None where there is none."""
    name = rollout_id(run_id, task_id, agent, trial)
    return RolloutRecorded(
        id=event_id("rollout", name),
        source=SOURCE,
        occurred_at=occurred_at,
        rollout_id=name,
        steps=ended.steps,
        task_id=task_id,
        trial=trial,
        model=model or agent,
        checkpoint_id=checkpoint_id,
        tools=ended.tools,
        outcome=ended.outcome,
        outcome_detail=ended.detail[:500],
        reward=reward,
        audience="internal",
    )


def commands(steps: Sequence[Step]) -> list[Said]:
    """What the agent ran and read, by step: the texts in each call's arguments, or the arguments as they stand.

    What it wrote into files is left out: that is in the tree, and looked at as code.
    """
    return [Said(number, _told(call.arguments)) for number, step in enumerate(steps) for call in step.calls]


def _told(arguments: str) -> str:
    try:
        found: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    if not isinstance(found, dict):
        return arguments
    return "\n".join(str(value) for key, value in cast("dict[str, Any]", found).items() if key not in WRITTEN)
