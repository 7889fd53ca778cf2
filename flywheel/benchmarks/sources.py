"""What a benchmark can be made of, and what each becomes: a task, what shows a failure mode, a row of a file."""

import io
import json
from collections.abc import Sequence
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

import polars as pl

from evals.behaviours.sample import BehaviourSample, parse_sample
from evals.benchmark.draft import Drafted, Purpose, drafted, rows_of_file, settle
from evals.benchmark.versions import SOURCE, content_of, versions
from evals.scorers import SCORERS, JudgeScorer
from evals.tasks.store import all_tasks
from flywheel.task_specs import standing
from ingest.home import Home
from ingest.log import EventLog
from ingest.reader import reading
from models.errors import TerminalError
from models.roles import Role
from models.specs import JsonValue
from transforms.specs.sets import EPISODES, SCHEMA
from transforms.specs.tasks import SCORER as TASK_TESTS
from transforms.specs.tasks import sides

BEHAVIOUR = "behaviour"
ANSWERED = ("sample_id", "checkpoint_id", "completion")
FIELDS = tuple(name for name in {**SCHEMA, **EPISODES} if name not in ANSWERED)
"""What a row of a file may say of a sample."""

Row = dict[str, Any]


def role_of(scorer: str) -> Role:
    """Whom a scorer scores. Raises TerminalError for one that there is not, naming those there are."""
    if scorer == TASK_TESTS:
        return "policy"
    if scorer not in SCORERS:
        known = ", ".join(sorted({*SCORERS, TASK_TESTS}))
        raise TerminalError(f"there is no scorer {scorer!r}; known: {known}")
    return "judge" if isinstance(SCORERS[scorer], JudgeScorer) else "policy"


def settled(home: Home, purpose: Purpose, scorer: str, args: dict[str, JsonValue] | None = None) -> Purpose:
    """The purpose with this scorer, kept, where none was said yet. Raises TerminalError where another was."""
    if purpose.scorer is None:
        return settle(home, purpose.model_copy(update={"scorer": scorer, "args": args or {}}))
    if purpose.scorer != scorer:
        raise TerminalError(
            f"benchmark {purpose.name} is scored by {purpose.scorer}, this wants {scorer}: make another benchmark"
        )
    return purpose


def of_tasks(home: Home, log: EventLog, purpose: Purpose, task_ids: Sequence[str]) -> list[Drafted]:
    """Tasks as samples. Raises TerminalError for one that does not stand, or that training has."""
    settled(home, purpose, TASK_TESTS)
    certified = standing(log)
    found: list[Drafted] = []
    for task_id in task_ids:
        task = next((each for each in certified if each.task_id == task_id), None)
        if task is None:
            raise TerminalError(f"no task {task_id!r} stands: flywheel tasks list, or flywheel tasks certify {task_id}")
        by_id = {each.task_id: each for each in certified if each.package == task.package}
        _, trained = sides(list(by_id.values()))
        if task_id in {each.task_id for each in trained}:
            raise TerminalError(
                f"the task {task_id} is on the side of training, as is all that shares its code: add those of "
                f"flywheel specs show eval:tasks-{task.package}:policy"
            )
        found.append(Drafted(kind="task", id=task_id, cluster=task.package))
    return found


def of_mode(home: Home, purpose: Purpose, mode: str, share: float = 0.5) -> list[Drafted]:
    """What shows a failure mode, of the side that no training has: a `share` of the samples of the mode's eval.

    So many are taken of those that show the mode, and of those beside them that don't. The rest stays with that eval,
    which leaves the others once they are frozen: each of its results would be a look.

    Without a scorer yet, that of the mode's own policies; where it has none, judges are asked whether they see the
    mode. Raises TerminalError for a mode that there is not or that has no samples, FlywheelError before the first
    build.
    """
    with reading(home) as ask:
        known = [str(row[0]) for row in ask("select mode_id from dim_failure_modes order by 1").rows]
        if mode not in known:
            raise TerminalError(f"there is no failure mode {mode!r}; known: {', '.join(known)}")
        if purpose.scorer is None:
            own = ask("select scorer, args from mode_scorers where mode_id = ? order by 1", [mode]).rows
            asked: dict[str, JsonValue] = {"mode": mode}
            scorer, args = (str(own[0][0]), Purpose.args_of(own[0][1])) if own else ("failure_mode", asked)
            purpose = settled(home, purpose, scorer, args)
        if purpose.scorer == "failure_mode" and purpose.args.get("mode") != mode:
            raise TerminalError(
                f"benchmark {purpose.name} asks judges about the mode {purpose.args.get('mode')!r}, not {mode!r}: make "
                "another for it"
            )
        role = role_of(str(purpose.scorer))
        key = f"eval:{mode}:{role}"
        wanted = "text is not null" if role == "judge" else "prompt is not null"
        found = ask(
            "select min(sample_id), min(conversation_id), bool_or(is_contrast) from sync_spec_samples "
            f"where spec_key = ? and {wanted} group by {'text' if role == 'judge' else 'prompt'} "
            "order by md5(min(sample_id)), 1",
            [key],
        ).rows
    if not found:
        raise TerminalError(f"the mode {mode} has no held-out samples for a {role}: flywheel modes list says why")
    return [
        Drafted(kind="feedback", id=str(sample), spec_key=key, cluster=None if group is None else str(group))
        for members in ([row for row in found if row[2] is of_others] for of_others in (False, True))
        for sample, group, _ in members[: ceil(share * len(members))]
    ]


def of_file(home: Home, purpose: Purpose, file: Path) -> list[Drafted]:
    """The rows of a JSON Lines file. Without a scorer yet, `behaviour` where they are samples of one.

    Raises TerminalError for a row that is none, and where nothing says which scorer.
    """
    rows = [_of_behaviour(file, each) for each in rows_of_file(file, (*FIELDS, *BehaviourSample.model_fields))]
    if purpose.scorer is None:
        if not rows or any("episode" not in (each.row or {}) for each in rows):
            raise TerminalError(
                f"which scorer? {file} doesn't say: flywheel bench create {purpose.name} --scorer NAME; "
                f"known: {', '.join(sorted(SCORERS))}"
            )
        settled(home, purpose, BEHAVIOUR)
    elif purpose.scorer == TASK_TESTS:
        raise TerminalError(f"benchmark {purpose.name} is of tasks: flywheel bench add {purpose.name} --task ID")
    return rows


def _of_behaviour(file: Path, drafted: Drafted) -> Drafted:
    """A row as `flywheel evals behaviours --out` writes them is an episode; others stay. Raises as `parse_sample`."""
    row = drafted.row or {}
    if "behaviour" in row:
        sample = parse_sample(json.dumps({**row, "cluster": drafted.cluster}))
        return drafted.model_copy(update={"row": {"episode": sample.model_dump_json()}})
    if unknown := sorted(row.keys() - set(FIELDS)):
        raise TerminalError(f"{file}: unknown field {unknown[0]!r}; known: {', '.join(FIELDS)}")
    return drafted


def samples_of(home: Home, log: EventLog, name: str) -> list[Row]:
    """The draft's samples as they are now: the columns of a set, `drafted` (the id in the draft), `group` (cluster).

    Those that are no longer there, or no longer held out, are missing.
    """
    draft = drafted(home, name)
    tasks = _tasks(home, log) if any(each.kind == "task" for each in draft) else {}
    feedback = _feedback(home, log, name, [each for each in draft if each.kind == "feedback"])
    found: list[Row] = []
    for each in draft:
        if each.kind == "task":
            row = tasks.get(each.id)
        elif each.kind == "feedback":
            row = feedback.get((each.spec_key or "", each.id))
        else:
            row = {"conversation_id": each.cluster, **(each.row or {}), "sample_id": f"{SOURCE}/{name}|{each.id}"}
        if row is not None:
            found.append({**row, "drafted": each.id, "group": each.cluster or row["sample_id"]})
    return found


def _tasks(home: Home, log: EventLog) -> dict[str, Row]:
    told = {parts.task.task_id: parts.task.instructions for parts in all_tasks(home)}
    found: dict[str, Row] = {}
    for task in standing(log):
        if task.task_id in told:
            row = {"sample_id": f"{task.source}|{task.id}", "target_id": task.task_id, "prompt": told[task.task_id]}
            found.setdefault(task.task_id, {**row, "conversation_id": task.package})
    return found


def _feedback(home: Home, log: EventLog, name: str, draft: Sequence[Drafted]) -> dict[tuple[str, str], Row]:
    """The samples of failure modes: as a version has them already, else as their evals have them now.

    Of a policy what it was asked, not what it said.
    """
    if not draft:
        return {}
    found: dict[tuple[str, str], Row] = {}
    frozen = _frozen(home, log, name)
    with reading(home) as ask:
        columns = [name for name in SCHEMA.names() if name in ask("select * from sync_spec_samples limit 0").columns]
        for key in sorted({each.spec_key or "" for each in draft}):
            for values in ask(f"select {', '.join(columns)} from sync_spec_samples where spec_key = ?", [key]).rows:
                row = dict(zip(columns, values, strict=True))
                found[key, str(row["sample_id"])] = {**row, "completion": None, "checkpoint_id": None}
    for each in draft:
        if each.id in frozen:
            found[each.spec_key or "", each.id] = frozen[each.id]
    return found


def _frozen(home: Home, log: EventLog, name: str) -> dict[str, Row]:
    """The samples of the versions that stand, by id: live evals have left them. Files that were lost have none."""
    found: dict[str, Row] = {}
    for version in versions(log):
        if version.frozen.benchmark == name and not version.retired:
            with suppress(TerminalError):
                rows = pl.read_parquet(io.BytesIO(content_of(home, version))).drop("canary", strict=False)
                found |= {str(row["sample_id"]): row for row in rows.iter_rows(named=True)}
    return found
