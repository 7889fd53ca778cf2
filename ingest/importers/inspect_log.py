"""Inspect's logs, as JSON: what a run's metrics say, each sample as a rollout, and of our own tasks what was graded.

`--log-format json`, or `inspect log convert LOG --to json --output-dir DIR`, writes them. Left out: its events, and
what a sample's store held.
"""

import math
from typing import Any, cast

from ingest.importers.base import UNNAMED, Context, Importer, Refused, Unfit, identified, inner, text_of
from ingest.importers.json_rows import reading
from ingest.importers.messages import steps
from ingest.importers.moments import exported_moment
from ingest.importers.reported import Run, whole
from ingest.importers.sample import with_keys
from ingest.importers.votes import as_float
from models.events import AnyEvent
from models.events.base import Json
from models.events.rollout import RolloutRecorded
from models.events.task import TaskGraded, Tripped
from models.ids import canonical_json

SOURCE = "import/inspect"
LIMITS = {"message": "out_of_steps", "turn": "out_of_steps", "token": "out_of_steps", "cost": "out_of_steps"}
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's own values: correct, partly so, incorrect, no answer."""


def _rows(log: Json) -> list[Any]:
    """The run, then its samples, each with what it needs of the run."""
    if not isinstance(log.get("eval"), dict):
        return [log]
    run = {"eval": log["eval"], "results": log.get("results"), "status": log.get("status")}
    samples: Any = log.get("samples")
    found = cast(list[Any], samples) if isinstance(samples, list) else []
    return [run, *({"eval": log["eval"], "sample": sample} for sample in found)]


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The run's numbers, or a sample's rollout and grade. Raises Unfit for another kind of row."""
    run = inner(row, "eval")
    task, model = text_of(run.get("task")), text_of(run.get("model"))
    if task is None or model is None:
        raise Unfit("not a log of Inspect: it needs eval.task and eval.model")
    if "sample" in row:
        if not isinstance(row["sample"], dict):
            raise Refused("a sample is not an object")
        return _sample(cast(Json, row["sample"]), run, task, model, context)
    results = inner(row, "results")
    said = Run(
        source=context.source(SOURCE), tool="inspect", benchmark=f"inspect/{task}", model=model,
        occurred_at=exported_moment(text_of(run.get("created"))), run_id=text_of(run.get("run_id")),
        samples=whole(results.get("total_samples")),
    )  # fmt: skip
    return list(_numbers(results, said))


def _objects(value: Any) -> list[Json]:
    """The objects of a list; nothing where it is none."""
    return (
        [cast(Json, each) for each in cast(list[Any], value) if isinstance(each, dict)]
        if isinstance(value, list)
        else []
    )


def _numbers(results: Json, run: Run) -> list[AnyEvent]:
    found: list[AnyEvent] = []
    for score in _objects(results.get("scores")):
        metrics = inner(score, "metrics")
        values = {name: as_float(inner(metrics, name).get("value")) for name in metrics}
        for name, value in values.items():
            if value is not None and math.isfinite(value) and name != "stderr":
                found.append(run.says(f"{text_of(score.get('name'))}/{name}", value, values.get("stderr")))
    return found


def _sample(sample: Json, run: Json, task: str, model: str, context: Context) -> list[AnyEvent]:
    messages: Any = sample.get("messages")
    if not isinstance(messages, list):
        raise Refused("a sample has no messages")
    name, epoch = text_of(sample.get("id")) or "?", whole(sample.get("epoch")) or 1
    scores = inner(sample, "scores")
    graded = [inner(scores, each) for each in scores]
    ours = next((each for each in graded if "task_id" in inner(each, "metadata")), None)
    told = inner(ours, "metadata") if ours else {}
    rollout_id = f"inspect/{text_of(run.get('run_id')) or text_of(run.get('created'))}/{name}/{epoch}"
    limit = text_of(inner(sample, "limit").get("type"))
    failed = sample.get("error") is not None
    rewards = [value for each in graded if (value := _value(each.get("value"))) is not None]
    source, moment = context.source(SOURCE), exported_moment(text_of(sample.get("completed_at")))
    rollout = RolloutRecorded(
        id=UNNAMED, source=source, occurred_at=moment, rollout_id=rollout_id,
        steps=steps([_message(each) for each in _objects(messages)]),
        task_id=text_of(told.get("task_id")) or f"inspect/{task}/{name}", trial=epoch - 1, model=model,
        outcome="failed" if failed else _outcome(limit), outcome_detail=limit or _why(sample.get("error")),
        reward=rewards[0] if rewards else None, audience="internal",
    )  # fmt: skip
    found: list[AnyEvent] = [identified(rollout, rollout_id)]
    if ours and (task_id := text_of(told.get("task_id"))):
        grade = TaskGraded(
            id=UNNAMED, source=source, occurred_at=moment, task_id=task_id, rollout_id=rollout_id, trial=epoch - 1,
            strict=as_float(ours.get("value")), lenient=as_float(told.get("lenient")),
            tripped=tuple(map(Tripped.model_validate, _objects(told.get("tripwires")))),
        )  # fmt: skip
        found.append(identified(grade, rollout_id))
    return found


def _outcome(limit: str | None) -> Any:
    return "finished" if limit is None else LIMITS.get(limit, "timed_out")


def _why(error: Any) -> str | None:
    return text_of(cast(Json, error).get("message")) if isinstance(error, dict) else text_of(error)


def _value(value: Any) -> float | None:
    return LETTERS.get(value) if isinstance(value, str) and value in LETTERS else as_float(value)


def _message(message: Json) -> Json:
    """As OpenAI's API has it: Inspect's calls have their function's name where that has an object."""
    calls: list[Json] = []
    for call in _objects(message.get("tool_calls")):
        function = {"name": call.get("function"), "arguments": canonical_json(call.get("arguments") or {})}
        calls.append({"id": call.get("id"), "function": function})
    return {**message, "tool_calls": calls, "name": message.get("function")}


INSPECT = Importer(
    "inspect",
    "Logs of Inspect, as JSON: 2026-12-01_flywheel-tasks.json",
    reading(_rows),
    events,
    SOURCE,
    fits=with_keys("eval", "plan", "status"),
    topics=("responses", "results", "tasks"),
)
