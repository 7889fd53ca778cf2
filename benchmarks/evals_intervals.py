"""Whether intervals of evals cover as often as they say, and how many tasks a paired comparison saves.

coverage    95% intervals for the mean of ten repositories of ten tasks, three attempts each: ours (`stats.clustered`),
            tasks as if they were independent, attempts as if they were
paired      tasks with which five points are seen in 80% of runs (p below .05, five attempts a task, five tasks a
            repository): both checkpoints on the same tasks, against each on its own
half-life   95% intervals for the day on which 90% is crossed and for the half-life, six releases of 300 attempts:
            releases that differ by the line alone, and by .2 in the log odds besides
"""

from math import log, sqrt
from typing import Final

import numpy as np
from scipy.special import expit, ndtri, stdtrit  # pyright: ignore[reportMissingTypeStubs]

from benchmarks.evals_simulated import (
    BY_REPOSITORY,
    BY_TASK,
    HARD_SD,
    RHO,
    Floats,
    attempted,
    differences,
    mean_of,
    shift,
    strengths,
    tasks,
)
from stats.clustered import Clustered, of_sums, share_interval
from stats.half_life import half_life
from stats.wilson import wilson

Figures = dict[str, float]

SEED: Final = 9
SIZES: Final = {"ten of ten": (10,) * 10, "from 1 to 20": (1, 2, 3, 5, 8, 10, 15, 16, 20, 20)}
BASES: Final = (0.8, 2.2, 4.0)


def coverage(quick: bool) -> Figures:
    """The figures of single evals, a table printed on the way."""
    sets = 400 if quick else 8000
    print(f"\n95% intervals, ten repositories, three attempts a task: share that cover, of {sets:,} evals each")
    print(f"{'tasks':13} {'mean':>5} {'clustered':>9} {'by task':>8} {'by attempt':>10}")
    figures: Figures = {}
    for number, (named, sizes) in enumerate(SIZES.items()):
        for base in BASES:
            random = np.random.default_rng((SEED, number, BASES.index(base)))
            covered = _covered(random, sets, sizes, base)
            print(f"{named:13} {mean_of(base):5.2f} {covered[0]:9.3f} {covered[1]:8.3f} {covered[2]:10.3f}")
            if not figures:
                figures = {"interval_coverage": round(covered[0], 4), "pooled_coverage": round(covered[2], 4)}
    return figures


def _covered(random: np.random.Generator, sets: int, sizes: tuple[int, ...], base: float) -> tuple[float, float, float]:
    attempts, place = 3, np.repeat(np.arange(len(sizes)), sizes)
    hard = HARD_SD * sqrt(RHO) * random.normal(size=(sets, len(sizes))) + BY_REPOSITORY * random.normal(
        size=(sets, len(sizes))
    )
    own = np.sqrt(HARD_SD**2 * (1 - RHO) + BY_TASK**2) * random.normal(size=(sets, len(place)))
    means = attempted(random, base + hard[:, place] + own, attempts).strict
    truth = mean_of(base)
    inside = np.eye(len(sizes))[place]
    low, high = share_interval(of_sums(means @ inside, inside.sum(axis=0), (means * means) @ inside), attempts)
    by_task = stdtrit(len(place) - 1, 0.975) * means.std(axis=1, ddof=1) / sqrt(len(place))
    pooled = [wilson(total, attempts * len(place)) for total in (means.sum(axis=1) * attempts).tolist()]
    return (
        float(((low <= truth) & (truth <= high)).mean()),
        float((np.abs(means.mean(axis=1) - truth) <= by_task).mean()),
        sum(one.low <= truth <= one.high for one in pooled) / sets,
    )


def pairing(quick: bool) -> Figures:
    """The share of the unpaired comparison's tasks that the paired one needs."""
    sets, base, difference = (300 if quick else 3000), 0.8, 0.05
    random = np.random.default_rng((SEED, 10))
    needed: dict[str, float] = {}
    print(f"\nfive points, p < .05: power of {sets:,} comparisons each")
    for named, trial, guess in (("paired", _paired, 40), ("unpaired", _unpaired, 150)):
        repositories = guess
        for _ in range(4):  # the number that has 80%, by the number that was tried
            seen = [trial(random, repositories, base, difference) for _ in range(sets)]
            power = sum(seen) / sets
            print(f"{named:8} {repositories * 5:5} tasks {power:6.3f}")
            drift = 1.96 + float(ndtri(min(max(power, 0.02), 0.98)))
            needed[named] = 5 * repositories * ((1.96 + float(ndtri(0.8))) / drift) ** 2
            repositories = max(round(needed[named] / 5), 3)
    share = needed["paired"] / needed["unpaired"]
    print(f"80%: {needed['paired']:.0f} tasks paired, {needed['unpaired']:.0f} unpaired")
    return {"paired_task_share": round(share, 4)}


def _called(difference: float, se: float, df: float) -> bool:
    return difference > stdtrit(df, 0.975) * se


def _paired(random: np.random.Generator, repositories: int, base: float, points: float) -> bool:
    of = tasks(random, repositories, 5)
    logits = base + of.hard + strengths(random, of, 1) + np.array([[0.0], [shift(base, points)]])
    scores = attempted(random, logits, 5).strict
    found = differences(scores[1] - scores[0], of.repository)
    return _called(float(found.mean), float(found.se), float(found.df))


def _unpaired(random: np.random.Generator, repositories: int, base: float, points: float) -> bool:
    sides: list[Clustered] = []
    for by in (0.0, shift(base, points)):
        of = tasks(random, repositories, 5)
        scores = attempted(random, base + of.hard + strengths(random, of, 0)[0] + by, 5).strict
        by_place: Floats = scores.reshape(repositories, 5)
        sides.append(of_sums(by_place.sum(axis=1), np.full(repositories, 5.0), (by_place**2).sum(axis=1)))
    se = sqrt(float(sides[0].se) ** 2 + float(sides[1].se) ** 2)
    return _called(float(sides[1].mean - sides[0].mean), se, float(sides[0].df + sides[1].df))


def half_lives(quick: bool) -> Figures:
    """The coverage of the day on which 90% is crossed: the smaller figure of the two laws, farther from 95%."""
    sets, releases, trials = (300 if quick else 4000), 6, 300
    start, slope = 0.5, 2.2 / 365
    crosses, halves = (log(9) - start) / slope, log(2) / slope
    print(f"\nsix releases of 300 attempts: share of intervals that cover, of {sets:,} evals each")
    print(f"{'releases differ':16} {'crossing 90%':>12} {'half-life':>9} {'a day is told':>13}")
    found: list[float] = []
    for number, odd in enumerate((0.0, 0.2)):
        random = np.random.default_rng((SEED, 20 + number))
        days = np.arange(releases) * 73.0
        hits = np.zeros(3)
        for _ in range(sets):
            chance: Floats = expit(start + slope * days + odd * random.normal(size=releases))
            got = half_life(days.tolist(), random.binomial(trials, chance).tolist(), [trials] * releases)
            hits += (
                got.low <= crosses <= got.high,
                got.half_life_low <= halves <= got.half_life_high,
                got.state == "rises",
            )
        share = hits / sets
        print(f"{'by .2 besides' if odd else 'by the line':16} {share[0]:12.3f} {share[1]:9.3f} {share[2]:13.3f}")
        found.append(float(share[0]))
    return {"half_life_coverage": round(max(found, key=lambda share: abs(share - 0.95)), 4)}
