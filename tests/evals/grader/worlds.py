"""Tasks of the gauntlet's packages for tests: whole folders, and attempts as wires see them, which need no room."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.clean_room.gauntlet.hacks import plant
from benchmarks.clean_room.gauntlet.hacks.world import Entry
from benchmarks.clean_room.gauntlet.packages import PACKAGES, Package, as_bytes
from evals.cleanroom.network import Denied
from evals.grader.candidate import compose
from evals.grader.tripwires.case import Case, Said
from evals.tasks.folder import Parts, archive, dumped, sha256
from evals.tasks.task import Difficulty, Hidden, Task, Unit


def package(name: str) -> Package:
    return next(each for each in PACKAGES if each.name == name)


def parts(name: str = "spans", hidden: Hidden | None = None) -> Parts:
    """A task as `evals.tasks.folder` reads it, without hidden cases unless they are given."""
    of, cases = package(name), hidden or Hidden(cases=())
    tars = [archive(as_bytes(each)) for each in (of.given(), of.tests(), {path: of.gold()[path] for path in of.cut})]
    units = tuple(
        Unit(path=path, qualname=each, module=path[:-3].replace("/", "."), lines=9)
        for path, names in of.cut.items()
        for each in (names or ("",))
    )
    task = Task(
        task_id="task-1", package=name, version="1", kind=of.kind, units=units, instructions=of.instructions,
        fail_to_pass=("tests/test_merge.py::test_nothing",), pass_to_pass=of.pass_to_pass, test_files={}, seconds=5,
        difficulty=Difficulty(lines=9, files=1, call_depth=1, estimate=0.1), tree_sha256=sha256(tars[0]),
        tests_sha256=sha256(tars[1]), gold_sha256=sha256(tars[2]), hidden_sha256=sha256(dumped(cases).encode()),
    )  # fmt: skip
    return Parts(task, tars[0], tars[1], tars[2], "", cases)


def attempt(
    home: Path,
    changed: Mapping[str, Entry | None],
    *,
    name: str = "spans",
    said: Sequence[str] = (),
    denied: Sequence[Denied] = (),
) -> Case:
    """An attempt at a package: its files as given, some changed, or gone where None."""
    tree: dict[str, Entry | None] = {**package(name).given(), **changed}
    theirs = plant({path: entry for path, entry in tree.items() if entry is not None}, home / "theirs")
    of = parts(name)
    candidate = compose(of, theirs, home / "candidate")
    return Case(of, candidate, [Said(number, text) for number, text in enumerate(said)], denied)
