"""How many samples a promotion wants, for the whole way: the screen's looks, the confirmation's, every guardrail.

A candidate that is better by the wanted difference, and has not fallen, is promoted with the wanted power: the screen
may miss SCREEN_MISS of it, and what that leaves is split evenly among the bars, each at the level of the place. Plans
by the variances that are known before (`stats.variance_parts`: of earlier candidates), never by the candidate's own.
"""

from collections.abc import Sequence
from math import ceil, floor, sqrt
from typing import Final, NamedTuple

from scipy.special import ndtr, ndtri  # pyright: ignore[reportMissingTypeStubs]

from stats.boundaries import drift_for, level_for
from stats.course import Course
from stats.eval_power import Clusters, Parts, Undecidable, samples_for, t_power, variance
from stats.gate import Bar, Plan
from stats.lineage import ERROR, level
from stats.margin import widened

SCREEN_MISS: Final = 0.1
SCREEN_PASSES: Final = 0.1
"""Of no-better candidates, in a screen of the planned size."""
LOOKS: Final = 8


UNKNOWN: Final = Parts(clusters=0.0025, samples=0.02, attempts=0.5)
"""What to plan by before the first comparison: attempts as noisy as they can be; between repositories and samples what
two checkpoints of one family differ by (5 and 14 points, sd)."""
STEP: Final = 0.05
"""Drifts of screens are rounded down to it, so that screens of one size have their bounds worked out once."""
FARTHEST: Final = 6.0
"""A screen that sees more is as good as certain."""


class Wanted(NamedTuple):
    """What a team asks of its gate."""

    difference: float = 0.05
    power: float = 0.8
    error: float = ERROR
    attempts: int = 5
    looks: int = LOOKS
    """At the live set, and at fresh samples."""


class Measured(NamedTuple):
    """A bar with what is known of the variance of its differences, and how its samples lie in clusters."""

    bar: Bar
    parts: Parts
    clusters: Clusters
    """Of fresh samples."""
    score: float = 0.5
    """The champion's mean: near 0 or 1 a margin is wide beside the error, and wants more samples (`stats.margin`). Of a
    hack gap 1 less the gap."""


class Live(NamedTuple):
    """The live set of the eval that must improve."""

    parts: Parts
    samples: int
    clusters: int


def plan(wanted: Wanted, place: int, live: Live, bars: Sequence[Measured]) -> Plan:
    """The plan of the confirmation at `place` of a lineage, with the screen before it.

    Raises ValueError for no bar, one that must not fall and has no margin, or one that must improve and has one.
    """
    if not bars:
        raise ValueError("no bar, nothing to plan")
    allowed = level(place, wanted.error)
    course = screen_course(wanted, live)
    screened = 1 - SCREEN_MISS if course else 1.0
    passes = (wanted.power / screened) ** (1 / len(bars))
    courses: list[tuple[Bar, Course]] = []
    lost: list[tuple[Bar, Undecidable]] = []
    for measured in bars:
        bar = measured.bar
        effect = wanted.difference if bar.kind == "improves" else bar.margin
        if bar.kind == "improves" and bar.margin:
            raise ValueError(f"bar {bar.name!r} improves has a margin of {bar.margin:g}: what improves is above 0")
        if effect <= 0:
            raise ValueError(f"bar {bar.name!r} {bar.kind} has a margin of {bar.margin:g}: no sample shows that")
        found = _bar_course(wanted, measured, effect, allowed, passes)
        if isinstance(found, Undecidable):
            lost.append((bar, found))
        else:
            courses.append((bar, found._replace(margin=bar.margin)))
    power = screened * passes ** len(bars) if not lost else 0.0
    return Plan(place, allowed, wanted.difference, power, wanted.attempts, course, _together(courses), tuple(lost))


def screen_course(wanted: Wanted, live: Live) -> Course | None:
    """The screen that misses SCREEN_MISS of what is wanted; None where the live set has fewer than two clusters."""
    if live.clusters < 2 or live.samples < wanted.looks:
        return None
    drift = _drift(wanted.difference, live.parts, live.samples, wanted.attempts, live.clusters)
    # What the bounds take for normal is Student's t: a drift that passes as often.
    usual = 1 - SCREEN_PASSES
    drift = float(ndtri(t_power(drift, live.clusters - 1, SCREEN_PASSES)) + ndtri(usual))
    drift = floor(min(drift, FARTHEST) / STEP) * STEP
    allowed = level_for(wanted.looks, drift, 1 - SCREEN_MISS)
    samples = tuple(ceil(live.samples * look / wanted.looks) for look in range(1, wanted.looks + 1))
    return Course(samples, allowed, SCREEN_MISS, drift)


def screen_size(wanted: Wanted, parts: Parts, clusters: Clusters) -> int | Undecidable:
    """Live samples with which the screen lets through SCREEN_PASSES of no-better candidates."""
    drift = drift_for(wanted.looks, SCREEN_PASSES, 1 - SCREEN_MISS)
    passes = float(ndtr(drift + ndtri(SCREEN_PASSES)))
    return samples_for(parts, wanted.difference, wanted.attempts, clusters, level=SCREEN_PASSES, wanted=passes)


def _together(courses: Sequence[tuple[Bar, Course]]) -> tuple[tuple[Bar, Course], ...]:
    """Bars that share samples take all that any of them wants: it costs nothing, and tests err least on many."""
    most: dict[str, tuple[int, ...]] = {}
    for bar, course in courses:
        most[bar.shares] = max(most.get(bar.shares, ()), course.samples, key=lambda samples: samples[-1:])
    return tuple((bar, course._replace(samples=most[bar.shares]) if bar.shares else course) for bar, course in courses)


def _bar_course(
    wanted: Wanted, measured: Measured, effect: float, allowed: float, passes: float
) -> Course | Undecidable:
    drift = drift_for(wanted.looks, allowed, passes)
    # A test without looks that needs this drift has that power; so many samples give it to Student's t as well.
    fixed = float(ndtr(drift + ndtri(allowed)))
    clusters = measured.clusters
    better = min(measured.score + effect - measured.bar.margin, 1.0)
    wider = widened(better, measured.score, measured.bar.margin)
    parts = Parts(*(wider * part for part in measured.parts))
    needed = samples_for(parts, effect, wanted.attempts, clusters, level=allowed, wanted=fixed)
    if isinstance(needed, Undecidable):
        return needed
    step = ceil(needed / wanted.looks)
    if clusters.fixed is None:
        step = ceil(ceil(step / clusters.each) * clusters.each)
    samples = tuple(step * look for look in range(1, wanted.looks + 1))
    return Course(samples, allowed, 1 - passes, drift)


def _drift(difference: float, parts: Parts, samples: int, attempts: int, clusters: int) -> float:
    return difference / sqrt(variance(parts, samples, attempts, clusters))
