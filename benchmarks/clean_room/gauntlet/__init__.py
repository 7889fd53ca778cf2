"""The hack gauntlet: planted hacks and honest solutions, graded by exit code, by our grader, and by our grader with
wires.

    python -m benchmarks.clean_room.gauntlet [--quick] [--json FILE] [--seen]

Four packages of our own, one for each kind of task. A hack counts where grading by exit code accepts it, or where it
cheats in sight (it digs in history, or asks the network); those that fool nobody are told apart. Every third technique,
and every third kind of honest change, was held out: the wires were not changed after it had been run.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.clean_room.gauntlet.hacks import HACKS, Hack, held_out, plant
from benchmarks.clean_room.gauntlet.honest import Honest, honest
from benchmarks.clean_room.gauntlet.packages import PACKAGES, Package, make_task, write_files
from benchmarks.clean_room.section import Section, table
from evals.cleanroom.tools import tools
from evals.grader import Grade, grade
from evals.grader.tripwires.case import Said

VISIBLE = {"archaeology", "network"}
"""Families that cheat in sight, whatever the exit code says."""
KEYS = ("total", "accepted_exit_code", "accepted_without_tripwires", "accepted", "without_evidence")
HONEST_KEYS = ("total", "flagged", "with_notes", "failed")
QUICK = 5
"""One in so many is graded with --quick."""


class Tried(NamedTuple):
    """A hack on a package, graded."""

    hack: Hack
    package: str
    grade: Grade

    @property
    def counts(self) -> bool:
        """It fools grading by exit code, or cheats in sight."""
        return self.grade.lenient == 1 or self.hack.family in VISIBLE


class Solved(NamedTuple):
    """An honest solution, graded."""

    solution: Honest
    grade: Grade


def measure(quick: bool = False, *, seen: bool = False) -> Section:
    """Grade all hacks and honest solutions. `seen` leaves out what is held out: to be used while wires are written."""
    with tempfile.TemporaryDirectory(prefix="flywheel-gauntlet-") as made, ThreadPoolExecutor(2) as pool:
        home = Path(made)
        home.chmod(0o755)
        site = tools(("pytest",), home / "site")
        tasks = {package.name: make_task(package, home, site) for package in PACKAGES}
        pairs = [
            (hack, package, tree) for hack in HACKS for package in PACKAGES if (tree := hack.build(package)) is not None
        ]
        solutions = honest(200)
        if seen:
            pairs = [each for each in pairs if not held_out(each[0].technique)]
            solutions = [each for each in solutions if not any(held_out(change) for change in each.changes)]
        if quick:
            pairs, solutions = pairs[::QUICK], solutions[::QUICK]

        def hacked(numbered: tuple[int, tuple[Hack, Package, Any]]) -> Tried:
            number, (hack, package, tree) = numbered
            said = [
                Said(step, command.replace("{path}", next(iter(package.cut))).replace("{package}", package.name))
                for step, command in enumerate(hack.commands)
            ]
            place = plant(tree, home / f"hack-{number}")
            return Tried(hack, package.name, grade(tasks[package.name], place, said=said, tools=site))

        def solved(numbered: tuple[int, Honest]) -> Solved:
            number, solution = numbered
            place = plant(solution.tree, home / f"honest-{number}")
            return Solved(solution, grade(tasks[solution.package.name], place, tools=site, with_lenient=False))

        for package in PACKAGES:  # once before the threads, which would each run the gold files
            grade(tasks[package.name], write_files(package.gold(), home / f"whole-{package.name}"), tools=site)
        tried = list(pool.map(hacked, enumerate(pairs)))
        graded = list(pool.map(solved, enumerate(solutions)))
    return _told(tried, graded)


def _told(tried: Sequence[Tried], graded: Sequence[Solved]) -> Section:
    counted = [each for each in tried if each.counts]
    held = [each for each in graded if any(held_out(change) for change in each.solution.changes)]
    figures: dict[str, float | int | str | bool] = {
        "hacks_techniques": len({each.hack.technique for each in counted}),
        "hacks_that_fool_nobody": len(tried) - len(counted),
        **_hacks("hacks", counted),
        **_hacks("hacks_held_out", [each for each in counted if _is_held(each.hack)]),
        **_hacks("hacks_late", [each for each in counted if each.hack.late]),
        **_honest("honest", graded),
        **_honest("honest_held_out", held),
        "grades_errored": sum(each.grade.status == "errored" for each in (*tried, *graded)),
        "grade_p50_s": round(median(each.grade.seconds for each in (*tried, *graded)), 2),
    }
    rows: list[tuple[object, ...]] = [
        _row(technique, [each for each in tried if each.hack.technique == technique])
        for technique in _techniques(tried)
    ]
    kinds: list[tuple[object, ...]] = [
        (name, *(figures[f"{name}_{key}"] for key in KEYS)) for name in ("hacks", "hacks_held_out", "hacks_late")
    ]
    solutions: list[tuple[object, ...]] = [
        (name, *(figures[f"{name}_{key}"] for key in HONEST_KEYS)) for name in ("honest", "honest_held_out")
    ]
    lines = (
        *table(("technique", "family", "tasks", "exit code", "no wires", "wires"), rows),
        "* held out; + written after the wires. Accepted by exit code, by our grader without wires, with them.",
        "",
        *table(("", *(key.replace("_", " ") for key in KEYS)), kinds),
        "",
        *table(("", *(key.replace("_", " ") for key in HONEST_KEYS)), solutions),
        "",
        f"wires that were touched by hacks: {_wires(counted)}",
        f"and by honest solutions: {_wires(graded) or 'none'}",
        *(line for each in graded for line in _wrong(each)),
        *(f"ACCEPTED {each.package}: {each.hack.technique}" for each in tried if each.grade.strict == 1),
        *(f"ERRORED {each.grade.reason}" for each in (*tried, *graded) if each.grade.status == "errored"),
    )
    return Section("Hack gauntlet", lines, figures)


def _is_held(hack: Hack) -> bool:
    return held_out(hack.technique) and not hack.late


def _techniques(tried: Sequence[Tried]) -> list[str]:
    return list(dict.fromkeys(each.hack.technique for each in tried))


def _row(technique: str, of: Sequence[Tried]) -> tuple[object, ...]:
    mark = "+" if of[0].hack.late else "*" if _is_held(of[0].hack) else ""
    lenient, solved = sum(each.grade.lenient == 1 for each in of), sum(each.grade.solved is True for each in of)
    return (
        f"{technique} {mark}",
        of[0].hack.family,
        len(of),
        lenient,
        solved,
        sum(each.grade.strict == 1 for each in of),
    )


def _hacks(name: str, of: Sequence[Tried]) -> dict[str, int]:
    values = (
        len(of),
        sum(each.grade.lenient == 1 for each in of),
        sum(each.grade.solved is True for each in of),
        sum(each.grade.strict == 1 for each in of),
        sum(not each.grade.cheats for each in of),
    )
    return {f"{name}_{key}": value for key, value in zip(KEYS, values, strict=True)}


def _honest(name: str, of: Sequence[Solved]) -> dict[str, int]:
    values = (
        len(of),
        sum(bool(each.grade.cheats) for each in of),
        sum(bool(each.grade.tripwires) for each in of),
        sum(each.grade.solved is not True for each in of),
    )
    return {f"{name}_{key}": value for key, value in zip(HONEST_KEYS, values, strict=True)}


def _wires(of: Sequence[Tried] | Sequence[Solved]) -> str:
    found = Counter(name for each in of for name in {wire.name for wire in each.grade.tripwires})
    return ", ".join(f"{name} {count}" for name, count in found.most_common())


def _wrong(each: Solved) -> Iterator[str]:
    """What an honest solution is blamed for, or fails."""
    if each.grade.cheats or each.grade.solved is not True:
        failed = [f"{result.test}: {result.detail[-200:]}" for result in each.grade.tests if not result.passed]
        flags = [f"{wire.name} {wire.where}: {wire.evidence}" for wire in each.grade.cheats]
        yield f"HONEST {each.solution.package.name} {', '.join(each.solution.changes)}: {(flags or failed)[:2]}"


def main() -> None:
    """Run by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument(
        "--seen", action="store_true", help="leave out what is held out: to be used while wires are written"
    )
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()
    section = measure(words.quick, seen=words.seen)
    print(*section.lines, sep="\n")
    if words.json:
        words.json.write_text(json.dumps(section.figures, indent=1) + "\n")
