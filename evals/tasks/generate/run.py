"""Make tasks from a repository: look at its suite once, then try candidates until there are enough.

All code of the repository runs in rooms. Left out: choosing the repository, and what becomes of the tasks.
"""

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from evals.cleanroom import Limits
from evals.tasks.folder import lay, rate
from evals.tasks.generate.attempt import Shop, attempt
from evals.tasks.generate.baseline import baseline
from evals.tasks.generate.candidates import Candidate, candidates, keys
from evals.tasks.generate.difficulty import Dial
from evals.tasks.generate.pieces import Piece, pieces
from evals.tasks.generate.report import Dropped, Made, Report, Tally
from evals.tasks.generate.tools import tools
from evals.tasks.generate.trials import Trials
from evals.tasks.layout import Layout, read_layout
from evals.tasks.task import Kind

KINDS: tuple[Kind, ...] = ("function", "class", "cluster", "files")
SEEDS = 3
"""Rooms, each of a hash seed of its own."""
SHARED = 2
"""Tasks that a body may be part of."""

Show = Callable[[int, int], None]


def generate(
    repo: Path, out: Path, *, package: str | None = None, want: int = 20, kinds: Sequence[Kind] = KINDS,
    dial: Dial | None = None, seed: int = 0, tool_names: tuple[str, ...] = ("pytest",), limits: Limits | None = None,
    suite_seconds: float = 300.0, test_seconds: float = 5.0, most_mb: int = 64, seconds: float = 3600.0,
    baseline_agent: Callable[[Path], float] | None = None, show: Show = lambda done, total: None,
) -> Report:  # fmt: skip
    """Write up to `want` task folders below `out`, from the files in `repo`, and say what came of it.

    `package` picks one of several; `dial` asks for a range of difficulty; `test_seconds` is how long a test may take,
    `suite_seconds` how long all of them; after `seconds` no new candidate is tried. `baseline_agent` solves a task
    folder several times and gives the share of attempts that passed, 0 to 1. The same seed tries the same candidates in
    the same order; which of several that finish together come last does not change what they are. Raises TerminalError
    for a repository that nothing can be made of, NoRoom where there is no room to run it in.
    """
    began = time.monotonic()
    layout = read_layout(repo, package, most_mb)
    out.mkdir(parents=True, exist_ok=True)
    found, notes = _pieces(layout)
    if (repo / ".gitmodules").exists():
        notes.append("it has submodules, whose files are only there where they were checked out")
    workers = min(os.cpu_count() or 1, 8)
    with ExitStack() as stack:
        tree = Path(stack.enter_context(TemporaryDirectory(prefix="flywheel-tree-"))) / "tree"
        lay(layout.raw, tree)
        folder = stack.enter_context(tools(tool_names, layout.package))
        trials = [
            Trials(tree, folder, layout.roots, seed * 100 + each + 1, limits or Limits(seconds=86_400))
            for each in range(max(SEEDS, workers))
        ]
        for each in trials:
            stack.callback(each.close)
        seen = baseline(trials[:workers], layout, suite_seconds, test_seconds, show)
        for each in trials:
            each.close()  # started anew, with what the suite needs loaded once
        baseline_seconds = time.monotonic() - began
        shop = Shop(layout, seen, trials, folder, tool_names, out, set())
        tally = Tally([], Counter(), Counter())
        waiting = candidates(found, seen, kinds, dial, random.Random(seed))
        until = began + seconds
        tried = _try_all(shop, waiting, tally, want, workers, seed, until, show)
    made = [_measured(each, out, baseline_agent) for each in tally.made]
    left_out = {why: len(tests) for why, tests in seen.left_out.items()}
    if shop.unstable:
        left_out["is unstable"] = len(shop.unstable)
    return Report(
        package=layout.package, version=layout.version, tasks=tuple(made), tried=tried, dropped=dict(tally.dropped),
        tests=len(seen.took), left_out=left_out, notes=tuple(notes), baseline_seconds=round(baseline_seconds, 2),
        seconds=round(time.monotonic() - began, 2),
    )  # fmt: skip


def _pieces(layout: Layout) -> tuple[list[Piece], list[str]]:
    found: list[Piece] = []
    notes: list[str] = []
    for path, module in sorted(layout.sources.items()):
        try:
            found += pieces(path, module, layout.texts[path])
        except KeyError:
            notes.append(f"{path} is no text in UTF-8: left alone")
        except SyntaxError as error:
            notes.append(f"{path}:{error.lineno} is no Python of this version: left alone ({error.msg})")
    return found, notes


def _try_all(
    shop: Shop, waiting: Iterator[Candidate], tally: Tally, want: int, workers: int, seed: int, until: float, show: Show
) -> int:
    """Try candidates in as many threads as there are processors; how many were tried."""
    lock, tried = Lock(), Counter[str]()

    def work(mine: int) -> None:
        while True:
            with lock:
                candidate = next(waiting, None)
                if candidate is None or len(tally.made) >= want or time.monotonic() > until:
                    return
                if any(tally.bodies[key] >= SHARED for key in keys(candidate.pieces)):
                    continue
                tried["all"] += 1
                chance = random.Random(f"{seed}:{candidate.kind}:{candidate.said}")
            try:
                made = attempt(shop, candidate, mine, chance)
            except Dropped as dropped:
                with lock:
                    tally.dropped[str(dropped).partition(":")[0]] += 1
                continue
            with lock:
                if len(tally.made) >= want:
                    shutil.rmtree(shop.out / made.task_id)
                    return
                tally.made.append(made)
                tally.bodies.update(keys(candidate.pieces))
                show(len(tally.made), want)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    return tried["all"]


def _measured(made: Made, out: Path, agent: Callable[[Path], float] | None) -> Made:
    if agent is None:
        return made
    return made.model_copy(update={"pass_rate": rate(out / made.task_id, agent)})
