"""Make tasks from a repository: look at its suite once, then try candidates until there are enough.

All code of the repository runs in rooms. Left out: choosing the repository, and what becomes of the tasks.
"""

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from evals.cleanroom import Limits
from evals.tasks.folder import rate
from evals.tasks.generate.attempt import attempt
from evals.tasks.generate.candidates import Candidate, candidates, keys
from evals.tasks.generate.difficulty import Dial
from evals.tasks.generate.report import Dropped, Made, Report, Tally
from evals.tasks.generate.shop import WORKERS, Shop, Show, open_shop
from evals.tasks.task import Kind

KINDS: tuple[Kind, ...] = ("function", "class", "cluster", "files")
SHARED = 2
"""Tasks that a body may be part of."""


def generate(
    repo: Path, out: Path, *, package: str | None = None, want: int = 20, kinds: Sequence[Kind] = KINDS,
    dial: Dial | None = None, seed: int = 0, tool_names: tuple[str, ...] = ("pytest",), limits: Limits | None = None,
    suite_seconds: float = 300.0, test_seconds: float = 5.0, most_mb: int = 64, seconds: float = 3600.0,
    baseline_agent: Callable[[Path], float] | None = None, tool_folder: Path | None = None,
    show: Show = lambda done, total: None,
) -> Report:  # fmt: skip
    """Write up to `want` task folders below `out`, from the files in `repo`, and say what came of it.

    `package` picks one of several; `dial` asks for a range of difficulty; `test_seconds` is how long a test may take,
    `suite_seconds` how long all of them; after `seconds` no new candidate is tried. `baseline_agent` solves a task
    folder several times and gives the share of attempts that passed, 0 to 1. `tool_folder` holds `tool_names` already,
    as `evals.cleanroom.tools` makes it. The same seed tries the same candidates in
    the same order; which of several that finish together come last does not change what they are. Raises TerminalError
    for a repository that nothing can be made of, NoRoom where there is no room to run it in.
    """
    began = time.monotonic()
    with open_shop(
        repo, out, package=package, seed=seed, tool_names=tool_names, limits=limits, suite_seconds=suite_seconds,
        test_seconds=test_seconds, most_mb=most_mb, tool_folder=tool_folder, show=show,
    ) as shop:  # fmt: skip
        baseline_seconds = time.monotonic() - began
        tally = Tally([], Counter(), Counter())
        waiting = candidates(shop.pieces, shop.seen, kinds, dial, random.Random(seed))
        tried = _try_all(shop, waiting, tally, want, seed, began + seconds, show)
    made = [_measured(each, out, baseline_agent) for each in tally.made]
    left_out = {why: len(tests) for why, tests in shop.seen.left_out.items()}
    if shop.unstable:
        left_out["is unstable"] = len(shop.unstable)
    return Report(
        package=shop.layout.package, version=shop.layout.version, tasks=tuple(made), tried=tried,
        dropped=dict(tally.dropped), tests=len(shop.seen.took), left_out=left_out, notes=tuple(shop.notes),
        baseline_seconds=round(baseline_seconds, 2), seconds=round(time.monotonic() - began, 2),
    )  # fmt: skip


def _try_all(  # noqa: PLR0917
    shop: Shop, waiting: Iterator[Candidate], tally: Tally, want: int, seed: int, until: float, show: Show
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

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(work, range(WORKERS)))
    return tried["all"]


def _measured(made: Made, out: Path, agent: Callable[[Path], float] | None) -> Made:
    if agent is None:
        return made
    return made.model_copy(update={"pass_rate": rate(out / made.task_id, agent)})
