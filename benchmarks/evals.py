"""Whether evals decide rightly: intervals, pairs, lineages of checkpoints at the gate, half-lives; and what they cost.

    python -m benchmarks.evals [--quick] [--json FILE]

interval_coverage        of clustered 95% intervals, ten repositories and attempts that are alike; `pooled_coverage` of
                         those that take attempts for independent
paired_task_share        tasks that a paired comparison needs, over those that an unpaired one needs
false_promotion_lineages lineages of 40 checkpoints that are no better in which any is promoted, of 2,000; `_low` is the
                         lower end of its 99% interval; `false_promotions` is the share of those checkpoints
missed_promotions        checkpoints that are five points better, at a random place in their lineage, and are not
                         promoted, of 2,000; planned are 20%
early_stop_saving        samples that looks save, screen and confirmation together, against the same gate with one look
                         and the same power; half of the checkpoints no better, half five points better
half_life_coverage       of 95% intervals for the day on which an eval passes 90%

What is simulated is said in `benchmarks.evals_simulated`, how the gate is run in `benchmarks.evals_gate`. Settings were
chosen by the normal theory of `stats.boundaries` and on other seeds.
"""

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from os import cpu_count
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from benchmarks.evals_gate import BETTER, BREAKS_GUARD, HACKS, IMPROVES, NO_BETTER, Lineage, Tried, Truth, pilots
from benchmarks.evals_intervals import Figures, coverage, half_lives, pairing
from stats.eval_power import Clusters
from stats.gate_plan import Live, Measured, Wanted, plan
from stats.wilson import wilson

SEED: Final = 41
LENGTH: Final = 40
"""Checkpoints of a lineage."""


class Law(NamedTuple):
    """Lineages of one kind."""

    truth: Truth
    last: Truth | None = None
    """The checkpoint at a random place, with which such a lineage ends; None: all 40 are of one kind."""
    wanted: Wanted = Wanted()
    repositories: int | None = None
    """How many there are at all; None: as many as it takes."""
    place: int | None = None
    """Places that are taken before; then the lineage is two checkpoints, and a promotion ends nothing."""


class Ran(NamedTuple):
    """One lineage."""

    tried: tuple[Tried, ...]
    naive: bool
    """Whether a rule without a budget would have promoted any."""


Job = tuple[int, int, Law]
"""Number of the law, of the lineage, the law."""


def main() -> None:
    """Simulate, print tables, write figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="60 lineages of each kind instead of 2,000")
    arguments = parser.parse_args()
    figures = coverage(arguments.quick) | pairing(arguments.quick)
    figures |= gate(60 if arguments.quick else 2000) | half_lives(arguments.quick)
    if find_spec("benchmarks.evals_harness"):
        figures |= import_module("benchmarks.evals_harness").measured(arguments.quick)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def gate(lineages: int) -> Figures:
    """The figures of the gate, its tables printed on the way."""
    few = max(lineages // 5, 40)
    far = Wanted(difference=0.1)
    with ProcessPoolExecutor(cpu_count()) as pool:

        def ran(number: int, law: Law, of: int) -> list[Ran]:
            return list(pool.map(run, [(number, each, law) for each in range(of)], chunksize=10))

        print(f"\nlineages of {LENGTH} that must not be promoted: share that promote any, with its 99% interval")
        none = ran(0, Law(NO_BETTER), lineages)
        _any("no better", none)
        _any("five points better, guardrail broken", ran(1, Law(BREAKS_GUARD), few))
        _any("five points better, hack gap widened", ran(2, Law(HACKS), few))
        _any("no better, ten repositories", ran(3, Law(NO_BETTER, wanted=far, repositories=10), few))
        naive = sum(each.naive for each in none)
        print(f"{'no better, p < .05 on the live set':38} {naive / len(none):7.4f}")

        print("\na better checkpoint at a random place, planned power 80%: share promoted")
        found = ran(4, Law(NO_BETTER, BETTER), lineages)
        _promoted("five points", found)

        looked = ran(5, Law(NO_BETTER, place=0), lineages // 2)
        once = ran(5, Law(NO_BETTER, wanted=Wanted(looks=1), place=0), lineages // 2)
    _few_repositories()
    promoted = [each.promoted for lineage in none for each in lineage.tried]
    wrong = sum(_has(lineage) for lineage in none)
    return {
        "false_promotions": round(sum(promoted) / len(promoted), 6),
        "false_promotion_lineages": round(wrong / len(none), 5),
        "false_promotion_lineages_low": round(wilson(wrong, len(none), 0.99).low, 5),
        "missed_promotions": round(1 - sum(each.tried[-1].promoted for each in found) / len(found), 5),
        "early_stop_saving": _saving(looked, once),
    }


def run(job: Job) -> Ran:
    """One lineage at the gate, up to its last checkpoint."""
    number, seed, law = job
    with threadpool_limits(1):  # a process a core is enough
        random = np.random.default_rng((SEED, number, seed))
        truths = [law.truth] * LENGTH
        if law.place is not None:
            truths = [NO_BETTER, BETTER]
        elif law.last is not None:
            truths = [law.truth] * int(random.integers(LENGTH)) + [law.last]
        lineage = Lineage(random, law.wanted, truths, law.repositories)
        tried: list[Tried] = []
        for each in range(len(truths)):
            if law.place is not None:  # both at the same place, which differs by lineage
                lineage.champion, lineage.taken = 0, law.place + seed % 4
            tried.append(lineage.attempt(each))
        return Ran(tuple(tried), lineage.naive())


def _few_repositories() -> None:
    """From which place on the planner says undecidable, where live and fresh samples lie in the same repositories."""
    print("\nrepositories that live and fresh samples share: the first place of a lineage that is undecidable")
    known = pilots(np.random.default_rng((SEED, 99)), Wanted().attempts, 200)[0]
    for difference in (0.05, 0.1):
        for repositories in (5, 10, 20, 40):
            clusters = Clusters(5, repositories)
            live = Live(known, 200, repositories)
            bars = [Measured(IMPROVES, known, clusters)]
            plans = (plan(Wanted(difference=difference), place, live, bars) for place in range(1, LENGTH + 1))
            first = next((made.place for made in plans if made.undecidable), None)
            print(f"{100 * difference:3.0f} points, {repositories:3} repositories: {first or 'none'}")


def _has(lineage: Ran) -> bool:
    return any(each.promoted for each in lineage.tried)


def _any(named: str, found: Sequence[Ran]) -> None:
    wrong = sum(_has(lineage) for lineage in found)
    low, high = wilson(wrong, len(found), 0.99)
    confirmed = sum(each.place > 0 for lineage in found for each in lineage.tried) / len(found)
    share = wrong / len(found)
    print(f"{named:38} {share:7.4f} {low:6.4f} to {high:.4f} of {len(found):5,}; {confirmed:4.1f} confirmations each")


def _promoted(named: str, found: Sequence[Ran]) -> None:
    right = sum(lineage.tried[-1].promoted for lineage in found)
    low, high = wilson(right, len(found), 0.99)
    print(f"{named:38} {right / len(found):7.4f} {low:6.4f} to {high:.4f} of {len(found):5,}")


def _saving(looked: Sequence[Ran], once: Sequence[Ran]) -> float:
    """The share of samples that looks save: of both checkpoints, since fresh samples are asked of the champion too."""
    print(f"\nsamples asked, {len(looked):,} checkpoints that are no better and as many that are five points better")
    print(f"{'looks':>5} {'screen':>15} {'confirmation':>15} {'all':>6} {'promoted':>8}")
    totals: list[float] = []
    for looks, found in ((Wanted().looks, looked), (1, once)):
        live = np.array([[each.live for each in lineage.tried] for lineage in found]).mean(axis=0)
        fresh = 2 * np.array([[each.fresh for each in lineage.tried] for lineage in found]).mean(axis=0)
        power = sum(lineage.tried[1].promoted for lineage in found) / len(found)
        totals.append(float((live + fresh).mean()))
        parts = (f"{pair[0]:7.0f} {pair[1]:7.0f}" for pair in (live, fresh))
        print(f"{looks:5} {' '.join(parts)} {totals[-1]:6.0f} {power:8.3f}")
    return round(1 - totals[0] / totals[1], 4)


if __name__ == "__main__":
    main()
