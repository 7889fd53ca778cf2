"""History of a large repository, moved away and back, with sessions that are killed.

restore_exact     of `restore_tried` sessions that ended by kill -9 (while moving away, at work, and on the way back),
                  after which every entry of the manifest was as before: mode, owner, size, time, sha256, link,
                  attributes
restore_mb        size of the repository's history
move_away_s       median until the tree is without it; `restore_s` until it is back
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.clean_room.section import Section, table
from evals.cleanroom.history import git
from evals.cleanroom.in_place import moved_away, recover
from evals.cleanroom.manifest import manifest

SESSION = """
import sys, time
from pathlib import Path
from evals.cleanroom.in_place import moved_away
print('ready', flush=True)
sys.stdin.readline()
with moved_away(Path(sys.argv[1])):
    print('away', flush=True)
    (Path(sys.argv[1]) / '.git').mkdir()
    sys.stdin.readline()
"""

HEADS: Final = ("killed while", "history was away", "something left to do", "recovery s", "entries", "differing")


def measure(quick: bool) -> Section:
    """A history of 1 GB in loose and packed objects (20 MB if `quick`), killed five times."""
    megabytes = 20 if quick else 1024
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        _make(tree, megabytes)
        before = manifest(tree)
        size = sum(entry.size for path, entry in before.items() if path.startswith("tree/.git/")) >> 20
        away, back = _timed(tree)
        rows: list[tuple[object, ...]] = []
        for when in ("moving away", "moving away", "at work", "at work", "moving back"):
            _killed(tree, when)
            was_away = not (tree / ".git/HEAD").exists()
            began = time.perf_counter()
            had_to = recover(tree)
            took = time.perf_counter() - began
            after = manifest(tree)
            differing = len({path for path in before.keys() | after.keys() if before.get(path) != after.get(path)})
            rows.append((when, _yes(was_away), _yes(had_to), f"{took:.3f}", len(before), differing))
            for evidence in Path(folder).glob(".tree.evidence-*"):
                subprocess.run(["rm", "-rf", str(evidence)], check=True)
    exact = sum(row[-1] == 0 for row in rows)
    return Section(
        f"History of {size:,} MB, killed with -9",
        (
            *table(HEADS, rows),
            f"moved away in {away:.3f} s, back in {back:.3f} s (medians of 5 that were not killed)",
        ),
        {
            "restore_exact": exact, "restore_tried": len(rows), "restore_mb": size,
            "move_away_s": round(away, 4), "restore_s": round(back, 4),
        },
    )  # fmt: skip


def _make(tree: Path, megabytes: int) -> None:
    """Half of the history in packs, half in loose objects, of content that does not compress; and leftovers."""
    generator = random.Random(7)
    (tree / "acme/__pycache__").mkdir(parents=True)
    git("init", "-q", "-b", "main", str(tree))
    who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for half in range(2):
        for number in range(megabytes // 2):
            (tree / f"blob{number % 8}").write_bytes(generator.randbytes(1 << 20))
            if number % 8 == 7 or number == megabytes // 2 - 1:
                git("--work-tree", str(tree), "add", "-A", git_dir=tree / ".git")
                git("--work-tree", str(tree), "commit", "-q", "-m", "x", git_dir=tree / ".git", env=who)
        if half == 0:
            git("repack", "-q", "-a", "-d", "--window=0", git_dir=tree / ".git")
    for number in range(200):
        (tree / f"acme/__pycache__/m{number}.pyc").write_bytes(generator.randbytes(100))
        (tree / f"acme/m{number}.py.orig").write_bytes(generator.randbytes(100))


def _timed(tree: Path) -> tuple[float, float]:
    away: list[float] = []
    back: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        with moved_away(tree):
            away.append(time.perf_counter() - began)
            began = time.perf_counter()
        back.append(time.perf_counter() - began)
    return median(away), median(back)


def _killed(tree: Path, when: str) -> None:
    """A session in a process of its own, killed in one of its parts: moving goes through 401 places, `.git` first."""
    with subprocess.Popen(
        [sys.executable, "-c", SESSION, str(tree)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as session:
        assert session.stdin and session.stdout
        session.stdout.readline()
        print(file=session.stdin, flush=True)
        if when == "moving away":
            _wait(lambda: not (tree / ".git").exists())
        else:
            session.stdout.readline()
            if when == "moving back":
                print(file=session.stdin, flush=True)
                _wait((tree / ".git/HEAD").exists)
        os.kill(session.pid, signal.SIGKILL)


def _wait(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not happened() and time.monotonic() < until:
        pass


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
