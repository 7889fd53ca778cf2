"""What the gold files do on this machine: what attempts are held against, run once for each task in a process."""

import hashlib
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from evals.cleanroom.bubblewrap import open_room
from evals.grader import controls, hidden, runs
from evals.grader.canaries import Canaries, draw
from evals.tasks.folder import Parts, contents, lay


class Reference(NamedTuple):
    """A run of the gold files."""

    suite: runs.Suite
    plain: dict[str, runs.Plain]
    problem: str | None
    """Why attempts can't be graded here."""


_references: dict[str, Reference] = {}
"""By the digests of a task's parts. One with a problem is not kept: it may be over by the next attempt."""


def reference(parts: Parts, site: Path) -> Reference:
    """What the gold files do, with pytest in `site`."""
    task = parts.task
    said = "".join((task.tree_sha256, task.tests_sha256, task.gold_sha256, task.hidden_sha256))
    key = hashlib.sha256(said.encode()).hexdigest()
    if key not in _references:
        found = _run(parts, site)
        if found.problem:
            return found
        _references[key] = found
    return _references[key]


def again(parts: Parts, site: Path) -> runs.Suite:
    """The gold files once more: whether they still pass, and how long they take now."""
    with _gold_tree(parts) as tree:
        return runs.suite(parts, tree, site, draw(parts.hidden), runs.limits(parts))


def _run(parts: Parts, site: Path) -> Reference:
    planted, most = draw(parts.hidden), runs.limits(parts)
    with _gold_tree(parts) as tree:
        run = runs.suite(parts, tree, site, planted, most)
        problem = _tests(parts, run) or _canaries(run, planted) or _hidden(parts, tree, site)
        return Reference(run, {} if problem else runs.plain(parts, tree, site, most), problem)


def _tests(parts: Parts, run: runs.Suite) -> str | None:
    wanted = (*parts.task.fail_to_pass, *parts.task.pass_to_pass)
    failed = [test for test in wanted if test not in run.reports or not run.reports[test].passed]
    if not failed:
        return None
    why = run.reports[failed[0]].detail if failed[0] in run.reports else run.detail or run.ended
    return f"{len(failed)} of {len(wanted)} tests, first {failed[0]}: {why[-300:]}"


def _canaries(run: runs.Suite, planted: Canaries) -> str | None:
    if controls.control_passed(run, planted) and not any(controls.canaries(run, planted)):
        return None
    return "the grader's own canaries"


def _hidden(parts: Parts, tree: Path, site: Path) -> str | None:
    if not hidden.can_tell(parts.hidden):
        return "hidden cases can't tell a wrong value from the right one"
    with open_room(tree, tools=site, limits=runs.limits(parts)) as room:
        wrong = [each for each in hidden.answer(room, parts.hidden) if not each.right]
    if not wrong:
        return None
    first = f"{wrong[0].call.module}:{wrong[0].call.qualname}: {wrong[0].detail[:300]}"
    return f"{len(wrong)} of {len(parts.hidden.cases)} hidden cases, first {first}"


@contextmanager
def _gold_tree(parts: Parts) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="flywheel-gold-") as home:
        lay(contents(parts.tree) | contents(parts.tests) | contents(parts.gold), Path(home) / "gold")
        yield Path(home) / "gold"
