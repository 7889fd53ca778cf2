"""tau-bench's trajectories: a simulated customer, an agent with tools, and a reward. A JSON line (or member) a trial.

The reward is the environment's and stays on the rollout: it is no one's feedback. A run that the environment never
ended ran out of steps. Left out: what the task would have wanted (`info.task`), which is the benchmark's own.
"""

from typing import Any, cast

from ingest.importers.base import UNNAMED, Context, Importer, Refused, Unfit, identified, inner, text_of
from ingest.importers.json_rows import read_lines
from ingest.importers.messages import steps
from ingest.importers.reported import whole
from ingest.importers.sample import with_keys
from ingest.importers.votes import as_float
from models.events import AnyEvent
from models.events.base import Json
from models.events.response import ResponseServed
from models.events.rollout import RolloutRecorded
from models.ids import canonical_json, digest

SOURCE = "import/tau_bench"


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The rollout, and what the customer was told in the end. Raises Unfit for another kind of row."""
    task, messages = text_of(row.get("task_id")), row.get("traj")
    if task is None or not isinstance(messages, list) or "reward" not in row:
        raise Unfit("not a trajectory of tau-bench: it needs task_id, traj and reward")
    if not messages:
        raise Refused("the trajectory has no messages")
    info = inner(row, "info")
    found = steps(cast(list[Any], messages), failed=lambda text: text.startswith("Error"))
    trial = whole(row.get("trial"))
    rollout_id = f"tau-bench/{task}/{trial or 0}/{digest(messages)[:12]}"
    source, person = context.source(SOURCE), text_of(inner(info, "task").get("user_id"))
    said = [step.text for step in found if step.role == "assistant" and step.text]
    asked = [step.text for step in found if step.role == "user" and step.text]
    response = ResponseServed(
        id=UNNAMED,
        source=source,
        response_id=rollout_id,
        prompt=asked[0] if asked else None,
        completion=said[-1] if said else None,
        conversation_id=rollout_id,
        person_id=person,
        audience="internal",
        tool_calls=sum(len(step.calls) for step in found),
    )
    ended = info.get("reward_info")
    rollout = RolloutRecorded(
        id=UNNAMED,
        source=source,
        rollout_id=rollout_id,
        steps=found,
        response_id=rollout_id,
        conversation_id=rollout_id,
        person_id=person,
        task_id=f"tau-bench/{task}",
        trial=trial,
        outcome="finished" if ended else "out_of_steps",
        outcome_detail=canonical_json(inner(cast(Json, ended), "info")) if isinstance(ended, dict) else None,
        reward=as_float(row["reward"]),
        audience="internal",
    )
    return [identified(response, rollout_id), identified(rollout, rollout_id)]


TAU_BENCH = Importer(
    "tau-bench",
    "Trials of an agent with tools, and their rewards: trajectories.jsonl.gz",
    read_lines,
    events,
    SOURCE,
    fits=with_keys("task_id", "traj", "reward"),
    topics=("responses",),
)
