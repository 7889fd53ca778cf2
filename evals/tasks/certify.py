"""Repeat every check of a task, and say so as an event: that it is certified, signed, or that it is withdrawn.

Left out: generating, whose checks these are.
"""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from evals.cleanroom import Limits
from evals.tasks.folder import Parts, contents, lay, read
from evals.tasks.generate.attempt import told_apart
from evals.tasks.generate.cut import cut_files
from evals.tasks.generate.mutants import mutants
from evals.tasks.generate.pieces import Piece, pieces
from evals.tasks.generate.proof import proof
from evals.tasks.generate.report import FLOOR
from evals.tasks.generate.trials import Trials
from evals.tasks.generate.trivial import trivial
from evals.tasks.store import signature
from ingest.home import Home
from models.events.task import TaskCertified, TaskWithdrawn
from models.ids import event_id

SOURCE = "flywheel/tasks"
SEEDS = (11, 12, 13)
"""Hash seeds and orders in which the gold files must pass."""
MUTANTS = 8


class Certificate(NamedTuple):
    """What came of the checks."""

    parts: Parts
    problems: tuple[str, ...]
    """Empty: it certifies."""
    killed: int
    mutants: int


def certify(
    folder: Path, tools: Path, *, seeds: Sequence[int] = SEEDS, whole_suite: bool = True,
    show: Callable[[str], None] = lambda step: None,
) -> Certificate:  # fmt: skip
    """Check the task in `folder` again, in rooms: digests and instructions, tests with and without the gold files (the
    whole suite too), hidden cases, trivial bodies and mutants. `show` is told of each step.

    Raises TerminalError for a folder that is no task any more, NoRoom where there is no room.
    """
    parts = read(folder)
    show("tests, hidden cases and instructions")
    problems = proof(folder, tools, seeds=seeds, whole_suite=whole_suite)
    gold = {path: content.decode() for path, content in contents(parts.gold).items()}
    cut = _pieces(parts, gold)
    if not cut:
        return Certificate(parts, (*problems, "what was cut is not in the gold files"), 0, 0)
    task, cases = parts.task, list(parts.hidden.cases)
    tests = list(task.fail_to_pass)
    with TemporaryDirectory(prefix="flywheel-certify-") as made:
        tree = Path(made) / "tree"
        lay(contents(parts.tree) | contents(parts.tests), tree)
        trials = Trials(tree, tools, (".", "src") if (tree / "src").is_dir() else (".",), seeds[0], Limits())
        try:
            show("trivial bodies")
            for each in trivial():
                if not told_apart(trials, gold | cut_files(gold, cut, each.instead), tests, cases, task.seconds):
                    problems.append(f"a trivial body passes: {each.said}")
            show("mutants")
            tried = mutants(gold, cut, MUTANTS, random.Random(task.task_id))
            killed = sum(told_apart(trials, gold | each.files, tests, cases, task.seconds) for each in tried)
        finally:
            trials.close()
    if killed < FLOOR * len(tried):
        problems.append(f"{killed} of {len(tried)} mutants are killed, fewer than {FLOOR:.0%}")
    return Certificate(parts, tuple(problems), killed, len(tried))


def _pieces(parts: Parts, gold: dict[str, str]) -> tuple[Piece, ...]:
    """What the task says was cut, found again in the gold files."""
    found: list[Piece] = []
    for unit in parts.task.units:
        every = pieces(unit.path, unit.module, gold[unit.path]) if unit.path in gold else []
        found += [each for each in every if not unit.qualname or each.qualname == unit.qualname]
    return tuple(found)


def event_of(home: Home, certificate: Certificate) -> TaskCertified | TaskWithdrawn:
    """The event that says what came of it."""
    task, now = certificate.parts.task, datetime.now(UTC)
    if certificate.problems:
        return TaskWithdrawn(
            id=event_id("withdrawn", task.task_id, now.isoformat()), source=SOURCE, occurred_at=now,
            task_id=task.task_id, reason="; ".join(certificate.problems[:5]),
        )  # fmt: skip
    said: dict[str, Any] = {
        "task_id": task.task_id, "tree_sha256": task.tree_sha256, "tests_sha256": task.tests_sha256,
        "gold_sha256": task.gold_sha256, "hidden_sha256": task.hidden_sha256,
        "fail_to_pass": len(task.fail_to_pass), "pass_to_pass": len(task.pass_to_pass),
        "hidden": len(certificate.parts.hidden.cases), "mutants": certificate.mutants,
        "mutants_killed": certificate.killed,
    }  # fmt: skip
    return TaskCertified(
        id=event_id("certified", task.task_id, now.isoformat()), source=SOURCE, occurred_at=now,
        package=task.package, version=task.version, kind=task.kind,
        units=tuple(f"{unit.module}:{unit.qualname}" for unit in task.units),
        lines=task.difficulty.lines, files=task.difficulty.files, difficulty=task.difficulty.estimate,
        pass_rate=task.difficulty.pass_rate, signature=signature(home, said), **said,
    )  # fmt: skip
