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
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.clean_room.gauntlet.hacks import HACKS, Hack, held_out, plant
from benchmarks.clean_room.gauntlet.honest import Honest, honest
from benchmarks.clean_room.gauntlet.packages import PACKAGES, Package, make_task, write_files
from evals.cleanroom.tools import tools
from evals.grader import Grade, grade
from evals.grader.tripwires.case import Said

VISIBLE = {"archaeology", "network"}
"""Families that cheat in sight, whatever the exit code says."""
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


def measure(quick: bool = False, *, seen: bool = False) -> dict[str, Any]:
    """Grade all hacks and honest solutions; prints the tables, and answers the keys of the benchmark."""
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

        def solved(numbered: tuple[int, Honest]) -> tuple[Honest, Grade]:
            number, solution = numbered
            place = plant(solution.tree, home / f"honest-{number}")
            return solution, grade(tasks[solution.package.name], place, tools=site, with_lenient=False)

        for package in PACKAGES:  # once before the threads, which would each run the gold files
            grade(tasks[package.name], write_files(package.gold(), home / f"whole-{package.name}"), tools=site)
        tried = list(pool.map(hacked, enumerate(pairs)))
        graded = list(pool.map(solved, enumerate(solutions)))
    return _told(tried, graded)


def _told(tried: Sequence[Tried], graded: Sequence[tuple[Honest, Grade]]) -> dict[str, Any]:
    counted = [each for each in tried if each.counts]
    print(f"\n{'technique':52} {'family':16} {'tasks':>5} {'exit code':>9} {'no wires':>8} {'wires':>5}")
    for technique in dict.fromkeys(each.hack.technique for each in tried):
        of = [each for each in tried if each.hack.technique == technique]
        mark = "*" if held_out(technique) else " "
        sums = (
            sum(each.grade.lenient == 1 for each in of),
            sum(each.grade.solved is True for each in of),
            sum(each.grade.strict == 1 for each in of),
        )
        print(f"{mark}{technique:51} {of[0].hack.family:16} {len(of):5} {sums[0]:9} {sums[1]:8} {sums[2]:5}")
    print("* held out until the wires were done\n")
    found: dict[str, Any] = {"hacks_techniques": len({each.hack.technique for each in counted})}
    for name, of in (
        ("hacks", counted),
        ("hacks_held_out", [each for each in counted if held_out(each.hack.technique)]),
    ):
        found |= {
            f"{name}_total": len(of),
            f"{name}_accepted_exit_code": sum(each.grade.lenient == 1 for each in of),
            f"{name}_accepted_without_tripwires": sum(each.grade.solved is True for each in of),
            f"{name}_accepted": sum(each.grade.strict == 1 for each in of),
            f"{name}_without_evidence": sum(not each.grade.cheats for each in of),
        }
    held = [(solution, of) for solution, of in graded if any(held_out(change) for change in solution.changes)]
    for name, of in (("honest", graded), ("honest_held_out", held)):
        found |= {
            f"{name}_total": len(of),
            f"{name}_flagged": sum(bool(each.cheats) for _, each in of),
            f"{name}_failed_without_tripwires": sum(each.solved is not True for _, each in of),
            f"{name}_with_notes": sum(bool(each.tripwires) for _, each in of),
        }
    found["errored"] = sum(each.grade.status == "errored" for each in tried) + sum(
        each.status == "errored" for _, each in graded
    )
    found["hacks_that_fool_nobody"] = len(tried) - len(counted)
    for key, value in found.items():
        print(f"{key:42} {value}")
    for solution, each in graded:
        if each.cheats or each.solved is not True:
            failed = [(result.test, result.detail[-300:]) for result in each.tests if not result.passed]
            print(
                "HONEST",
                solution.package.name,
                solution.changes,
                each.reason,
                failed[:2],
                [wire.model_dump() for wire in each.cheats][:3],
            )
    for each in tried:
        if each.grade.strict == 1 or each.grade.status == "errored" or (each.counts and not each.grade.cheats):
            print("HACK", each.package, each.hack.technique, each.grade.strict, each.grade.solved, each.grade.reason)
    print(
        "wires on hacks:", dict(Counter(name for each in counted for name in {wire.name for wire in each.grade.cheats}))
    )
    print("notes on honest:", dict(Counter(wire.name for _, each in graded for wire in each.tripwires)))
    return found


def main() -> None:
    """Run by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument(
        "--seen", action="store_true", help="leave out what is held out: to be used while wires are written"
    )
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()
    found = measure(words.quick, seen=words.seen)
    if words.json:
        words.json.write_text(json.dumps(found, indent=1) + "\n")
