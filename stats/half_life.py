"""When an eval is used up: the day on which passing crosses a share, and how fast the odds of failing halve.

A line through the log odds of passing by date, each release weighing by its trials. How far releases lie from it beyond
chance is estimated and widens the intervals, so that a release that is odd counts as one, not as its trials. Leaves out
bends: a line that is drawn past the last release is a guess with an interval.
"""

from collections.abc import Sequence
from math import inf, log, sqrt
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, stdtrit  # pyright: ignore[reportMissingTypeStubs]

from stats.clustered import Floats

State = Literal["rises", "flat", "falls", "not_estimable"]
"""`flat`: passing is not shown to rise or to fall, so that no day can be told. `falls`: the share is never crossed
upwards. `not_estimable`: fewer than three releases or days, or all pass, or none."""

SPENT: Final = 0.9
"""The share from which on an eval hardly tells checkpoints apart."""
_STEPS: Final = 50
_ENOUGH: Final = 1e-10


class HalfLife(NamedTuple):
    """Days on the axis of the dates; nan where it is not estimable, infinite ends where the data put no bound."""

    state: State
    crosses: float
    """The day on which the line crosses the share; in the past where it has."""
    low: float
    high: float
    """Its interval."""
    half_life: float
    """Days in which the odds of failing halve; infinite where they don't fall."""
    half_life_low: float
    half_life_high: float
    dispersion: float
    """Variance of releases over what chance in their trials makes; far above 1, they differ by more than the line."""
    releases: int


def half_life(
    days: Sequence[float],
    passed: Sequence[float],
    trials: Sequence[float],
    share: float = SPENT,
    confidence: float = 0.95,
) -> HalfLife:
    """When `share` is crossed, from releases on `days` (releases,) that passed so many of so many trials.

    Student's t with releases - 2 degrees of freedom. Raises ValueError unless 0 <= passed <= trials and 0 < share < 1.
    Source: McCullagh and Nelder (1989), Generalized linear models, sections 4.4 and 4.5 (the line, its dispersion);
    Fieller (1954) for the interval of the day; the half-life's is that of the slope.
    """
    x, k, n = (np.asarray(each, dtype=np.float64) for each in (days, passed, trials))
    if not 0 < share < 1 or (k < 0).any() or (k > n).any():
        raise ValueError(f"a share of {share:g}, or more passed than tried: {list(zip(passed, trials, strict=True))}")
    x, k, n = x[n > 0], k[n > 0], n[n > 0]
    fitted = _line(x, k, n) if len(set(x.tolist())) > 2 and 0 < k.sum() < n.sum() else None
    if fitted is None:
        nan = float("nan")
        return HalfLife("not_estimable", nan, -inf, inf, nan, 0.0, inf, nan, len(x))
    intercept, slope, covariance, dispersion, middle = fitted
    t = float(stdtrit(len(x) - 2, 0.5 + confidence / 2))
    covariance = covariance * dispersion
    wide = t * sqrt(covariance[1, 1])
    state: State = "rises" if slope > wide else "falls" if slope < -wide else "flat"
    above = float(logit(share)) - intercept
    low, high = _fieller(above, slope, covariance, t) if state == "rises" else (-inf, inf)
    return HalfLife(
        state,
        middle + above / slope if slope else inf,
        middle + low,
        middle + high,
        log(2) / slope if slope > 0 else inf,
        log(2) / (slope + wide) if slope + wide > 0 else inf,
        log(2) / (slope - wide) if slope - wide > 0 else inf,
        dispersion,
        len(x),
    )


def _line(x: Floats, passed: Floats, trials: Floats) -> tuple[float, float, Floats, float, float] | None:
    """Intercept and slope at the middle day, their covariance, dispersion and the middle; None where it has no end."""
    middle = float((x * trials).sum() / trials.sum())
    scale = float(x.max() - x.min())
    design = np.stack([np.ones_like(x), (x - middle) / scale], axis=1)
    beta: Floats = np.array([float(logit(passed.sum() / trials.sum())), 0.0])
    for _ in range(_STEPS):
        chance: Floats = expit(design @ beta)
        weight: Floats = trials * chance * (1 - chance)
        information: Floats = design.T @ (design * weight[:, None])
        if np.linalg.cond(information) > 1e12:  # releases that are all passed after those that are all failed
            return None
        step = np.asarray(np.linalg.solve(information, design.T @ (passed - trials * chance)), dtype=np.float64)
        beta = beta + step
        if np.abs(step).max() < _ENOUGH:
            break
    else:
        return None
    chance: Floats = expit(design @ beta)
    spread: Floats = trials * chance * (1 - chance)
    dispersion = float(((passed - trials * chance) ** 2 / spread).sum()) / (len(x) - 2)
    unit = np.array([1.0, scale])
    covariance: Floats = np.linalg.inv(design.T @ (design * spread[:, None])) / np.outer(unit, unit)
    return float(beta[0]), float(beta[1]) / scale, covariance, dispersion, middle


def _fieller(above: float, slope: float, covariance: ArrayLike, t: float) -> tuple[float, float]:
    """Both ends of `above` over `slope`, for a slope that is shown to be above 0."""
    (first, both), (_, second) = np.asarray(covariance, dtype=np.float64).tolist()
    a = slope * slope - t * t * second
    b = -2 * (above * slope + t * t * both)
    c = above * above - t * t * first
    root = sqrt(max(b * b - 4 * a * c, 0.0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)
