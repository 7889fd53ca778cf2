"""Specs of tasks: for each package an eval of all its tasks, and a training spec whose reward is their tests.

Pure. Left out: queueing the training, until a method of training takes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import polars as pl

from models.events.task import TaskCertified
from models.ids import digest
from models.specs import EvalSpec, ScorerSpec, Spec, TrainingSpec
from transforms.specs.sets import SCHEMA, freeze

SCORER = "task_tests"
"""Of an eval spec whose samples are tasks: its jobs are of attempts. `web_search` says whether the model's provider may
look things up: no room sees that."""
METHOD = "tests_as_reward"
TAXONOMY = "tasks"
BUDGET_S = 4 * 3600.0
HELD_OUT = 3
"""One group of tasks in three is held out for evals, about."""

S = TypeVar("S", EvalSpec, TrainingSpec)


def task_specs(
    certified: Iterable[TaskCertified], instructions: Mapping[str, str]
) -> list[tuple[EvalSpec | TrainingSpec, bytes]]:
    """Up to two specs for each package, each with the bytes of its set. Tasks without `instructions` are left out.

    Of several certificates of a task the first is its evidence. Tasks that share code are on one side (`sides`). A set
    has a row a task: the key of that event as sample, the task as target, its instructions as prompt.
    """
    by_package: dict[str, dict[str, TaskCertified]] = {}
    for event in certified:
        if event.task_id in instructions:
            by_package.setdefault(event.package, {}).setdefault(event.task_id, event)
    found: list[tuple[EvalSpec | TrainingSpec, bytes]] = []
    for package, tasks in sorted(by_package.items()):
        evaluated, trained = sides(list(tasks.values()))
        if evaluated:
            scorer = ScorerSpec(name=SCORER, args={"web_search": False})
            found.append(_spec(EvalSpec, f"eval:tasks-{package}:policy", evaluated, instructions, scorer=scorer))
        if trained:
            improves = (f"eval:tasks-{package}:policy",) if evaluated else ()
            found.append(
                _spec(
                    TrainingSpec, f"train:tasks-{package}:policy", trained, instructions, method=METHOD, args={},
                    budget_s=BUDGET_S, must_improve=improves,
                )
            )  # fmt: skip
    return found


def sides(tasks: Sequence[TaskCertified]) -> tuple[list[TaskCertified], list[TaskCertified]]:
    """(held out for evals, for training). Tasks that cut the same class or function stay together; a group's side comes
    from the least of its names, so that new tasks move none.
    """
    groups: list[tuple[set[str], list[TaskCertified]]] = []
    for task in sorted(tasks, key=lambda each: each.task_id):
        names = {
            ".".join(unit.replace(":", ".", 1).split(".")[: unit.partition(":")[0].count(".") + 2])
            for unit in task.units
        }
        joined = [group for group in groups if group[0] & names]
        groups = [group for group in groups if group not in joined]
        groups.append(
            (names.union(*(group[0] for group in joined)), [*(each for group in joined for each in group[1]), task])
        )
    held_out: list[TaskCertified] = []
    trained: list[TaskCertified] = []
    for names, members in groups:
        side = held_out if int(digest([members[0].package, min(names)])[:8], 16) % HELD_OUT == 0 else trained
        side += members
    return held_out, trained


def _spec(
    kind: type[S], key: str, tasks: Sequence[TaskCertified], instructions: Mapping[str, str], **more: object
) -> tuple[S, bytes]:
    keys = {task.task_id: f"{task.source}|{task.id}" for task in tasks}
    rows = pl.DataFrame(
        {
            "sample_id": list(keys.values()),
            "target_id": list(keys),
            "prompt": [instructions[each] for each in keys],
            **{name: [None] * len(keys) for name in SCHEMA.names() if name not in ("sample_id", "target_id", "prompt")},
        }
    )
    data, content = freeze(rows)
    said = {"evidence": tuple(sorted(keys.values())), "data": data, "query": "dim_tasks", "taxonomy": TAXONOMY}
    return kind.model_validate({"key": key, "role": "policy", **said, **more}), content


def is_of_tasks(spec: Spec) -> bool:
    """Whether a spec's samples are tasks."""
    return (isinstance(spec, EvalSpec) and spec.scorer.name == SCORER) or (
        isinstance(spec, TrainingSpec) and spec.method == METHOD
    )
