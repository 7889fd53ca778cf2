"""Grade a finished tree: a task's folder and what an agent left, to scores and evidence.

Whatever goes wrong with the candidate is held against the same with the gold files: where those fail too, it is the
machine, and the attempt is `errored`, never a zero. Left out: who made the tree (`evals.agents`), and where grades go.
"""

import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.network import Denied
from evals.cleanroom.room import Limits, NoRoom
from evals.cleanroom.tools import tools as copy_tools
from evals.grader import controls, hidden, lenient, runs
from evals.grader.canaries import draw
from evals.grader.candidate import Candidate, compose
from evals.grader.grade import Grade, Tally, TestResult, Tripwire
from evals.grader.reference import Reference, again, reference
from evals.grader.tripwires import look
from evals.grader.tripwires.case import Case, Said
from evals.tasks.folder import Parts, read

WHEN_GOLD_FAILS = "the gold files fail here, too: {}. Run `flywheel tasks certify`, or look at this machine"


def grade(
    folder: Path,
    tree: Path,
    *,
    said: Sequence[Said] = (),
    denied: Sequence[Denied] = (),
    evidence: Sequence[Tripwire] = (),
    with_lenient: bool = True,
    tools: Path | None = None,
) -> Grade:
    """Grade `tree` as an attempt at the task in `folder`.

    `said` are the commands of the rollout (`evals.agents.rollout.commands`), `denied` what the room's network refused,
    `evidence` what was seen while the agent worked (`evals.agents.Ended.evidence`).
    `tools` is a folder made by `evals.cleanroom.tools`; None makes one for this call. Raises TerminalError where the
    task or the tree is none; a machine that can't grade gives an errored Grade.
    """
    began = time.monotonic()
    parts = read(folder)
    with _tools(parts, tools) as site, tempfile.TemporaryDirectory(prefix="flywheel-grade-") as home:
        candidate = compose(parts, tree, Path(home) / "candidate")
        try:
            gold = reference(parts, site)
            found = _graded(parts, candidate, Case(parts, candidate, said, denied), gold, site, evidence)
            most = runs.limits(parts, gold.suite.seconds)
            accepted = _accepted(parts, tree, site, most) if with_lenient and found.status == "graded" else None
        except (NoRoom, OSError) as error:
            found, accepted = Grade(task_id=parts.task.task_id, status="errored", reason=str(error)), None
    given = None if accepted is None else float(accepted)
    return found.model_copy(update={"lenient": given, "seconds": round(time.monotonic() - began, 3)})


def _accepted(parts: Parts, tree: Path, site: Path, most: Limits) -> bool:
    """What a grader by exit code says; one that breaks on the tree says no, since the gold files were just run here."""
    try:
        return lenient.accepted(parts, tree, site, most)
    except (NoRoom, OSError):
        return False


def _graded(  # noqa: PLR0917
    parts: Parts, candidate: Candidate, case: Case, gold: Reference, site: Path, evidence: Sequence[Tripwire]
) -> Grade:
    task = parts.task
    if gold.problem:
        return Grade(task_id=task.task_id, status="errored", reason=WHEN_GOLD_FAILS.format(gold.problem))
    planted = draw(parts.hidden)
    most = runs.limits(parts, gold.suite.seconds)
    run, called, answered, broke = runs.DIED, dict[str, runs.Plain](), hidden.unanswered(parts.hidden), None
    try:
        run = runs.suite(parts, candidate.tree, site, planted, most)
        if any(report.passed for test, report in run.reports.items() if planted.name not in test):
            called = runs.plain(parts, candidate.tree, site, most)
        with open_room(candidate.tree, tools=site, limits=most) as room:
            answered = hidden.answer(room, parts.hidden)
    except (NoRoom, OSError) as error:
        broke = str(error) or type(error).__name__
    if broke or run.ended == "timed out":
        gold_now = again(parts, site)
        if not gold_now.finished or gold_now.seconds > most.seconds / 3:
            slow = broke or f"they took {gold_now.seconds:.1f} s, after {gold.suite.seconds:.1f} s before"
            return Grade(task_id=task.task_id, status="errored", reason=WHEN_GOLD_FAILS.format(slow))
    wires: list[Tripwire] = [
        *evidence,
        *([Tripwire(name="limit", severity="note", where="room", evidence=broke)] if broke else []),
        *look(case),
        *controls.canaries(run, planted),
        *controls.runner(run, gold.suite),
        *controls.ended(run, gold.suite),
        *controls.calls(parts, run, called, gold.plain),
    ]
    results = [
        *_results(parts, run),
        *(
            TestResult(
                test=f"{each.call.module}:{each.call.qualname}[{number}]",
                kind="hidden",
                passed=each.right,
                detail="" if each.right else each.detail,
            )
            for number, each in enumerate(answered)
        ),
    ]
    tallies = {kind: _tally(results, kind) for kind in ("fail_to_pass", "pass_to_pass", "hidden")}
    solved = all(tally.all for tally in tallies.values()) and tallies["fail_to_pass"].total > 0
    cheated = any(wire.severity == "cheat" for wire in wires)
    return Grade(
        task_id=task.task_id, status="graded", strict=float(solved and not cheated), solved=solved,
        fail_to_pass=tallies["fail_to_pass"], pass_to_pass=tallies["pass_to_pass"], hidden=tallies["hidden"],
        cross_checked=sum(each.outcome == "passed" for each in called.values()),
        assertions=sum(each.asserts for each in called.values()),
        tripwires=tuple(_once(wires)), tests=tuple(results),
    )  # fmt: skip


def _results(parts: Parts, run: runs.Suite) -> Iterator[TestResult]:
    missing = runs.Report(False, run.detail[-300:] or f"not told of: the run {run.ended}")
    for test in parts.task.fail_to_pass:
        report = run.reports.get(test, missing)
        yield TestResult(
            test=test, kind="fail_to_pass", passed=report.passed, detail="" if report.passed else report.detail
        )
    for test in parts.task.pass_to_pass:
        report = run.reports.get(test, missing)
        yield TestResult(
            test=test, kind="pass_to_pass", passed=report.passed, detail="" if report.passed else report.detail
        )


def _tally(results: Sequence[TestResult], kind: str) -> Tally:
    of = [each.passed for each in results if each.kind == kind]
    return Tally(passed=sum(of), total=len(of))


def _once(wires: Sequence[Tripwire]) -> Iterator[Tripwire]:
    """Each wire once for each place."""
    seen: set[tuple[str, str]] = set()
    for wire in wires:
        if (wire.name, wire.where) not in seen:
            seen.add((wire.name, wire.where))
            yield wire


@contextmanager
def _tools(parts: Parts, given: Path | None) -> Generator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="flywheel-tools-") as home:
        yield copy_tools(parts.task.tools, Path(home) / "site", but_not=[parts.task.package])
