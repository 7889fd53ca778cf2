"""How long an experiment must run: units and days for an effect that one wants to find, with or without daily looks.

By the normal approximation. `variance` is that of one unit (`stats.arm.variance` of the weeks before; times 1 - r^2
with CUPED); a relative effect is the difference over the control's estimate, so multiply by that. Finding the effect on
its wrong side is not counted.
"""

from functools import lru_cache
from math import ceil, sqrt

import numpy as np
from scipy.special import ndtr, ndtri  # pyright: ignore[reportMissingTypeStubs]

from stats.spending import bounds, crossing


def power_at(
    n: float, variance: float, difference: float, *, alpha: float = 0.05, arms: int = 2, looks: int = 1
) -> float:
    """The chance to find a difference with `n` units an arm, looked at `looks` times at even steps.

    `arms` counts the control; each other one is held against it at alpha over their number (Bonferroni, Holm's first).
    Source: Jennison and Turnbull (2000), Group sequential methods, section 3.1.
    """
    return _power(abs(difference) * sqrt(n / (2 * variance)), alpha / (arms - 1), looks)


def units_per_arm(
    variance: float,
    difference: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    arms: int = 2,
    looks: int = 1,
) -> int:
    """Units an arm to find a difference with chance `power`. Raises ValueError for no difference."""
    if difference == 0:
        raise ValueError("no number of units finds a difference of 0")
    return ceil(2 * variance * (_drift(power, alpha / (arms - 1), looks) / difference) ** 2)


def detectable(
    n: float, variance: float, *, alpha: float = 0.05, power: float = 0.8, arms: int = 2, looks: int = 1
) -> float:
    """The least difference that `n` units an arm find with chance `power`."""
    return _drift(power, alpha / (arms - 1), looks) * sqrt(2 * variance / n)


def days(units: float, units_per_day: float, arms: int = 2) -> int:
    """Days until each of `arms` equal arms has `units`, `units_per_day` new ones coming to all of them together."""
    return ceil(units * arms / units_per_day)


def unit_days(units: float, days: int) -> float:
    """What `units` of all arms that arrive evenly over `days` come to: a unit counts 1 a day from its first on.

    What a plan spends alpha by where units go on to do things: `stats.sequential.decisions`.
    """
    return units * (days + 1) / 2


def inflation(looks: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """How many times the units of one look the plan needs with `looks` even ones, O'Brien and Fleming's spending."""
    return (_drift(power, alpha, looks) / _drift(power, alpha, 1)) ** 2


@lru_cache(maxsize=256)
def _drift(power: float, alpha: float, looks: int) -> float:
    """The mean of z at the planned end that is found with chance `power`."""
    now = float(ndtri(1 - alpha / 2) + ndtri(power))
    if looks == 1:
        return now
    last, missed = now * 1.05, power - _power(now * 1.05, alpha, looks)
    for _ in range(50):  # by secants: in probits the power is almost a straight line
        short = power - _power(now, alpha, looks)
        if abs(short) < 1e-9 or short == missed:
            break
        now, last, missed = now - short * (now - last) / (short - missed), now, short
    return now


def _power(drift: float, alpha: float, looks: int) -> float:
    if looks == 1:
        return float(ndtr(drift + ndtri(alpha / 2)))
    share = np.arange(1, looks + 1) / looks
    return float(crossing(_bounds(alpha, looks), share, drift).upper[-1])


@lru_cache(maxsize=64)
def _bounds(alpha: float, looks: int) -> tuple[float, ...]:
    return tuple(bounds(np.arange(1, looks + 1) / looks, alpha).tolist())
