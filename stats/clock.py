"""How alike two looks at an experiment are, for metrics that grow while people return.

z at two looks is correlated as sqrt(clock / later clock) where each unit gives one value, the clock being units; bounds
are made for that. With returning people it is not so, and a clock by which looks are too alike makes bounds too low:
where what people do is all chance, units gave 7% of A/A tests a verdict, 1 / se^2 10%. Both clocks here keep to alpha.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def clock(se: ArrayLike, weight: ArrayLike) -> Floats:
    """The variance of the summed difference, (se weight)^2, at its running maximum; (..., looks) all.

    With one value a unit it grows as the units do. Where people return, 1 / se^2 may even fall while the sum keeps
    adding: if what it adds does not go against what was there, z is correlated at least as sqrt(clock / later clock),
    so that bounds are valid, and too wide where people differ much in how active they are. Who has converted can't do
    so again: that goes against it. A share of people who ever did something wants a window after exposure, each person
    counted once, at its end (then units are the clock), or `measured_clock`.
    """
    variance = (np.asarray(se, dtype=np.float64) * np.asarray(weight, dtype=np.float64)) ** 2
    return np.maximum.accumulate(variance, axis=-1)


def measured_clock(covariance: ArrayLike) -> Floats:
    """The fastest clock, (looks,), that takes no two looks for more alike than `covariance` (looks, looks) says.

    It holds for any metric, and days that follow change nothing in it. Looks that are not correlated at all, or against
    each other, count as hardly. What else to spend by than the clock: see `stats.sequential`.
    """
    shared = np.asarray(covariance, dtype=np.float64)
    spread = np.sqrt(np.diag(shared))
    known = spread > 0
    scale = np.outer(np.where(known, spread, 1.0), np.where(known, spread, 1.0))
    alike = np.clip(shared / scale, 1e-4, 1.0) ** 2
    found = np.zeros(len(shared))
    for look in np.flatnonzero(known):
        found[look] = max(1.0, float((found[:look] / alike[:look, look]).max(initial=0.0)))
    return np.maximum.accumulate(found)


def covariance_of_looks(y: ArrayLike, d: ArrayLike) -> Floats:
    """Covariance (looks, looks) between one arm's estimates at each look, from y and d of its units up to then.

    (looks, units) each, cumulated, both 0 before a unit's exposure; d is 1 from then on for a mean. Those of two arms
    add up to that of their difference. A random tenth of the units of both arms serves as well as all: only
    correlations count. Source: the delta method at each look, as `stats.arm.variance`.
    """
    values, weights = np.asarray(y, dtype=np.float64), np.asarray(d, dtype=np.float64)
    totals = weights.sum(axis=1, keepdims=True)
    safe = np.where(totals > 0, totals, 1.0)
    added = (values - values.sum(axis=1, keepdims=True) / safe * weights) / safe
    return added @ added.T
