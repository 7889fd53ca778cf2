"""Attempts at tasks: an agent works in the task's room, its rollout is kept, and what it leaves is graded apart."""

import json
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from evals.agents.agent import Agent
from evals.agents.rollout import commands, recorded, rollout_id
from evals.agents.script import Script
from evals.cleanroom import Limits
from evals.grader import Grade, grade
from evals.grader.tripwires.case import Said
from evals.tasks.certify import SOURCE
from evals.tasks.folder import read
from evals.tasks.opened import opened
from models.errors import TerminalError
from models.events.rollout import RolloutRecorded, Step
from models.events.task import TaskGraded, Tripped
from models.ids import event_id


class Attempted(NamedTuple):
    """An attempt, done and graded."""

    rollout: RolloutRecorded
    grade: Grade
    graded: TaskGraded


def attempt(
    folder: Path, agent: Agent, *, run_id: str, trial: int = 0, checkpoint_id: str | None = None,
    job: tuple[str, int] | None = None, script: Script | None = None, limits: Limits | None = None,
) -> Attempted:  # fmt: skip
    """Let `agent` try the task in `folder` once. `run_id` names the job or campaign, `job` is (its id, its epoch).

    The room is closed before grading, which opens its own. Raises NoRoom where this machine has none.
    """
    parts = read(folder)
    with tempfile.TemporaryDirectory(prefix="flywheel-attempt-") as made:
        with opened(parts, limits) as room:
            ended = agent.run(room, parts.task.instructions, script or Script())
            left = keep(room.tree, Path(made) / "tree")
            denied = list(room.denied)
        found = grade(folder, left, said=commands(ended.steps), denied=denied, evidence=ended.evidence)
    rollout = recorded(
        ended, run_id=run_id, task_id=parts.task.task_id, agent=agent.name, trial=trial, occurred_at=datetime.now(UTC),
        checkpoint_id=checkpoint_id, reward=found.strict,
    )  # fmt: skip
    return Attempted(
        rollout, found, event_of(found, checkpoint_id=checkpoint_id, rollout=rollout, trial=trial, job=job)
    )


def pass_rate(folder: Path, agent: Agent, trials: int) -> float:
    """The share of `trials` attempts that pass strictly; what could not be graded counts for nothing.

    Raises TerminalError where no attempt could be graded.
    """
    grades = [attempt(folder, agent, run_id="baseline", trial=trial).grade for trial in range(trials)]
    scores = [each.strict for each in grades if each.strict is not None]
    if not scores:
        raise TerminalError(f"no attempt at {folder.name} could be graded: {grades[0].reason}")
    return sum(scores) / len(scores)


def keep(tree: Path, into: Path) -> Path:
    """A copy of what an agent left: files and folders alone, so that no link leads out of it, and no device blocks."""
    for path in sorted(tree.rglob("*")):
        target = into / path.relative_to(tree)
        if path.is_symlink():
            continue
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            target.chmod(path.stat().st_mode & 0o777)
    into.mkdir(parents=True, exist_ok=True)
    return into


def event_of(
    found: Grade, *, checkpoint_id: str | None = None, rollout: RolloutRecorded | None = None, trial: int = 0,
    job: tuple[str, int] | None = None,
) -> TaskGraded:  # fmt: skip
    """The event that keeps a grade."""
    now = datetime.now(UTC)
    place = rollout.rollout_id if rollout else rollout_id(now.isoformat(), found.task_id, checkpoint_id or "", trial)
    return TaskGraded(
        id=event_id("graded", place, *(job or ())), source=SOURCE, occurred_at=now, task_id=found.task_id,
        checkpoint_id=checkpoint_id, rollout_id=rollout.rollout_id if rollout else None, trial=trial,
        job_id=job[0] if job else None, epoch=job[1] if job else None, status=found.status, strict=found.strict,
        lenient=found.lenient,
        fail_to_pass=found.fail_to_pass.passed, fail_to_pass_total=found.fail_to_pass.total,
        pass_to_pass=found.pass_to_pass.passed, pass_to_pass_total=found.pass_to_pass.total,
        hidden=found.hidden.passed, hidden_total=found.hidden.total, seconds=found.seconds, reason=found.reason,
        tripped=tuple(
            Tripped(name=wire.name, severity=wire.severity, where=wire.where, evidence=wire.evidence)
            for wire in found.tripwires
        ),
    )  # fmt: skip


def said_in(file: Path) -> Sequence[Said]:
    """The commands of a rollout that lies in a file: a `RolloutRecorded` as JSON, or a list of its steps.

    Raises TerminalError for what is neither.
    """
    try:
        told: Any = json.loads(file.read_text())
        steps = cast("dict[str, Any]", told).get("steps") if isinstance(told, dict) else told
        return commands([Step.model_validate(each) for each in cast("list[Any]", steps)])
    except (ValueError, TypeError, KeyError) as error:
        raise TerminalError(f"{file} is no rollout: it wants a list of steps, or an object with `steps`") from error
