"""The suite as it is, run once and looked at: which tests pass, how long they take, and what they call.

Left out of all that follows, and said: tests that fail, that take longer than they may, and that were not reached.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

from evals.tasks.generate.trials import Tested, Trials
from evals.tasks.layout import Layout
from models.errors import TerminalError

PARTS = 8
"""So many runs, each of a stretch of the suite."""

Key = tuple[str, str]
"""(path, qualname)."""


class Baseline(NamedTuple):
    """The suite, looked at."""

    took: dict[str, float]
    """Test that passes -> seconds."""
    touched: dict[str, frozenset[Key]]
    """Test that passes -> what it calls."""
    at_import: frozenset[Key]
    """What is called before any test."""
    callees: dict[Key, frozenset[Key]]
    calls: dict[Key, list[dict[str, Any]]]
    left_out: dict[str, list[str]]
    """Why -> tests."""


def baseline(
    trials: Sequence[Trials], layout: Layout, seconds: float, limit: float, show: Callable[[int, int], None]
) -> Baseline:
    """Run the suite once, a part at a time in each of `trials`.

    Raises TerminalError where no test can be collected, or none passes.
    """
    known = trials[0].collect(seconds)
    if not known.collected:
        why = next(iter(known.broken.values()), f"pytest {known.ended}").strip().split("\n")[-1]
        raise TerminalError(f"no test of {layout.package} can be collected in the room: {why}")
    for each in trials:
        each.load = [*each.load, *known.loaded]
    size = -(-len(known.collected) // PARTS)
    parts = deque(known.collected[at : at + size] for at in range(0, len(known.collected), size))
    left_out: dict[str, list[str]] = {}
    if known.broken:
        left_out["can't be collected"] = sorted(known.broken)
    found: list[Tested] = []
    until, lock = time.monotonic() + seconds, Lock()

    def work(mine: Trials) -> None:
        while True:
            with lock:
                if not parts:
                    return
                part = parts.popleft()
            left = until - time.monotonic()
            if left <= 0:
                with lock:
                    left_out.setdefault("not reached in time", []).extend(part)
                continue
            seen = mine.tests({}, part, seconds=left, limit=limit, watch=sorted(layout.sources))
            with lock:
                found.append(seen)
                rest = [test for test in part if test not in seen.outcomes and test != seen.began]
                if seen.began:
                    left_out.setdefault("ends its process, or never ends", []).append(seen.began)
                if rest and seen.ended != "done" and len(rest) < len(part):
                    parts.append(rest)
                elif rest:
                    left_out.setdefault("did not run", []).extend(rest)
                show(sum(len(each.outcomes) for each in found), len(known.collected))

    with ThreadPoolExecutor(len(trials)) as pool:
        list(pool.map(work, trials))
    whole = _joined(found, left_out)
    if not whole.took:
        why = next(
            (why for each in found for why in each.why.values() if why), "all are slow, or are not reached in time"
        )
        raise TerminalError(f"no test of {layout.package} passes in the room: {why.strip().splitlines()[-1]}")
    return whole


def _joined(found: list[Tested], left_out: dict[str, list[str]]) -> Baseline:
    took: dict[str, float] = {}
    touched: dict[str, frozenset[Key]] = {}
    callees: dict[Key, set[Key]] = {}
    calls: dict[Key, dict[str, dict[str, Any]]] = {}
    at_import = set[Key]()
    for each in found:
        at_import |= each.at_import
        for test, outcome in each.outcomes.items():
            if outcome == "passed":
                took[test], touched[test] = each.took[test], frozenset(each.touched[test])
            else:
                left_out.setdefault({"failed": "fails", "slow": "is slow"}.get(outcome, "is skipped"), []).append(test)
        for path, name, called, callee in each.edges:
            callees.setdefault((path, name), set()).add((called, callee))
        for path, name, call in each.calls:
            calls.setdefault((path, name), {}).setdefault(repr(call), call)
    return Baseline(
        took,
        touched,
        frozenset(at_import),
        {key: frozenset(each) for key, each in callees.items()},
        {key: [each[said] for said in sorted(each)] for key, each in calls.items()},
        left_out,
    )
