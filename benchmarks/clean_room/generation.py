"""Tasks made from five packages of other people, as their source archives lie on the package index.

    python -m benchmarks.clean_room.generation [--sources DIR] [--want 25] [--out DIR] [--json FILE] [--quick]

tasks_per_minute      valid tasks of all packages over the wall clock of all, baselines included
min_tasks_per_minute  the same of the slowest package
valid_tasks           whose every check passed, the last of them on the finished folder in a room of its own
mutants_killed        share of wrong variants that tests and hidden cases tell from the gold files, over all tasks
tasks_dropped         candidates that could be no task; the table below says why

Archives are fetched by pip, which asks a package's build for its name on this machine; all else runs in rooms. With
--sources they are taken from a folder and nothing is fetched. --quick makes three tasks of two packages.
"""

import argparse
import json
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.clean_room.section import Section, table
from evals.tasks.generate.report import Report
from evals.tasks.generate.run import generate
from models.errors import TransientError

PACKAGES: Final = {
    "toolz": "1.2.0",
    "boltons": "26.2.0",
    "more-itertools": "11.2.1",
    "cachetools": "8.0.2",
    "sqlparse": "0.6.1",
}
WANT: Final = 25


def measure(quick: bool, sources: Path | None = None, want: int = WANT, out: Path | None = None) -> Section:
    """Make `want` tasks of each package, whose archives lie in `sources` or are fetched; keep them in `out`."""
    names = list(PACKAGES)[:4:3] if quick else list(PACKAGES)
    with TemporaryDirectory(prefix="generation-") as made:
        home = Path(made)
        reports: list[Report] = []
        for name in names:
            tree = unpacked(fetched(name, sources or home / "sources"), home / "trees")
            reports.append(generate(tree, (out or home / "tasks") / name, want=3 if quick else want))
            _tell(reports[-1])
    tasks = sum(len(report.tasks) for report in reports)
    killed, of = (sum(report.killed[at] for report in reports) for at in (0, 1))
    dropped = sum((Counter(report.dropped) for report in reports), Counter[str]())
    heads = (
        "package", "version", "tests", "baseline s", "tried", "valid", "kinds", "a minute", "killed", "weak", "lines",
    )  # fmt: skip
    rows = [_row(report) for report in reports]
    reasons = [(why, count) for why, count in dropped.most_common()]
    return Section(
        "Tasks made from other people's packages",
        (*table(heads, rows), "", *table(("dropped because", "candidates"), list[tuple[object, ...]](reasons))),
        {
            "tasks_per_minute": round(60 * tasks / sum(report.seconds for report in reports), 2),
            "min_tasks_per_minute": round(min(report.per_minute for report in reports), 2),
            "valid_tasks": tasks,
            "mutants_killed": round(killed / of, 4) if of else 0.0,
            "tasks_dropped": dropped.total(),
        },
    )


def fetched(name: str, sources: Path) -> Path:
    """The archive of a package in `sources`, put there if it is not. Raises TransientError where pip fails."""
    pattern = f"{name.replace('-', '[-_]')}-{PACKAGES[name]}.tar.gz"
    if not list(sources.glob(pattern)):
        wanted = f"{name}=={PACKAGES[name]}"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", wanted]
        ran = subprocess.run([*command, "-d", str(sources)], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise TransientError(f"{wanted} can't be fetched, give --sources: {ran.stderr.strip()[-300:]}")
    return next(sources.glob(pattern))


def unpacked(archive: Path, into: Path) -> Path:
    """The folder that an archive holds."""
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return into / archive.name.removesuffix(".tar.gz")


def _row(report: Report) -> tuple[object, ...]:
    kinds = Counter(task.kind for task in report.tasks)
    lines = sorted(task.lines for task in report.tasks)
    killed, of = report.killed
    return (
        report.package, report.version, report.tests, round(report.baseline_seconds, 1), report.tried,
        len(report.tasks), " ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())),
        round(report.per_minute, 1), f"{killed}/{of}", sum(task.weak for task in report.tasks),
        f"{lines[0]}-{lines[len(lines) // 2]}-{lines[-1]}" if lines else "",
    )  # fmt: skip


def _tell(report: Report) -> None:
    """One line, since all of it takes minutes."""
    left_out = ", ".join(f"{count} {why}" for why, count in report.left_out.items()) or "none"
    print(
        f"{report.package}: {len(report.tasks)} tasks in {report.seconds:.0f} s; tests left out: {left_out}", flush=True
    )


def main() -> None:
    """Measure, print tables, write figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sources", type=Path, help="a folder with the archives")
    parser.add_argument("--want", type=int, default=WANT, help="tasks of each package")
    parser.add_argument("--out", type=Path, help="keep the tasks here")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="three tasks of two packages")
    arguments = parser.parse_args()
    section = measure(arguments.quick, arguments.sources, arguments.want, arguments.out)
    print(f"\n{section.title}\n", *section.lines, sep="\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(section.figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
