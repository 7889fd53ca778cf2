"""How two rates compare: their ratio with an exact interval. Events are taken as independent of each other.

Nothing here corrects for how many ratios are looked at.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv  # pyright: ignore[reportMissingTypeStubs]

Floats = NDArray[np.float64]


class RateRatios(NamedTuple):
    """(n,) each. With nothing counted before `ratio` and `high` are infinite, with nothing at all `ratio` is nan."""

    ratio: Floats
    low: Floats
    high: Floats
    p_value: Floats
    """Two-sided: below 1 less the confidence exactly where the interval leaves 1 out."""


def rate_ratios(
    now: ArrayLike, of_now: ArrayLike, before: ArrayLike, of_before: ArrayLike, confidence: float = 0.95
) -> RateRatios:
    """The rates `now / of_now` over `before / of_before`, each an (n,) of counts and what they are counted among.

    Given the sum of both counts, the first is binomial with p = r of_now / (r of_now + of_before), r the ratio; ends
    are those of Clopper and Pearson for p, so the coverage is at least what is asked for. For counts that are a large
    part of what they are counted among (shares) it is wider still. Raises ValueError where a denominator is not
    positive or a count is negative. Source: Przyborowski and Wilenski (1940), Homogeneity of results in testing samples
    from Poisson series; Clopper and Pearson (1934).
    """
    one, other = np.asarray(now, dtype=np.float64), np.asarray(before, dtype=np.float64)
    of_one, of_other = np.asarray(of_now, dtype=np.float64), np.asarray(of_before, dtype=np.float64)
    if (of_one <= 0).any() or (of_other <= 0).any() or (one < 0).any() or (other < 0).any():
        raise ValueError("a rate needs a count of 0 or more and something that it is counted among")
    tail = (1 - confidence) / 2
    none, neither = one == 0, other == 0
    # The ends that are 0 or 1 by definition are put in afterwards: the beta distribution has no such parameters.
    lowest = np.where(none, 0.0, betaincinv(np.where(none, 1.0, one), other + 1, tail))
    highest = np.where(neither, 1.0, betaincinv(one + 1, np.where(neither, 1.0, other), 1 - tail))
    expected = of_one / (of_one + of_other)
    at_least = np.where(none, 1.0, betainc(np.where(none, 1.0, one), other + 1, expected))
    at_most = np.where(neither, 1.0, 1 - betainc(one + 1, np.where(neither, 1.0, other), expected))
    with np.errstate(divide="ignore", invalid="ignore"):
        return RateRatios(
            ratio=(one / of_one) / (other / of_other),
            low=lowest / (1 - lowest) * of_other / of_one,
            high=highest / (1 - highest) * of_other / of_one,
            p_value=np.minimum(1.0, 2 * np.minimum(at_least, at_most)),
        )
