"""How far a difference is above -margin, as a z that keeps its level where scores are near 0 or 1.

Student's t errs there: by luck few samples fall, and then both the fall and its error look small. A hack gap that had
grown by its margin was let through 4 times as often as its level says (ten repositories, level .001). Two corrections,
each only ever towards "not shown": the error is that of means which are a margin apart, and what clusters say of the
difference's skew is taken out. Leaves out exact tests, which know no clusters.
"""

from math import copysign, sqrt
from typing import Final

from scipy.optimize import brentq  # pyright: ignore[reportMissingTypeStubs,reportUnknownVariableType]
from scipy.special import ndtri, stdtr  # pyright: ignore[reportMissingTypeStubs]

from stats.paired import Difference

WIDEST: Final = 2.0
"""The most that the variance is widened by: where next to nothing fails, `stats.paired.with_few` has widened it."""


def score(look: Difference, margin: float = 0.0) -> float:
    """z with the tail that the test has; 0 where no error is known.

    Source: Farrington and Manning (1990), Test statistics and sample size formulae for comparative binomial trials, for
    the means under no effect, their variance times what clusters and pairs make of it; Hall (1992), On the removal of
    skewness by transformation.
    """
    if not 0 < look.se < float("inf"):
        return 0.0
    t = (look.value + margin) / (look.se * sqrt(widened(look.candidate, look.other, margin)))
    skew = min(look.skew, 0.0)
    t = t + skew * t * t / 3 + skew * skew * t**3 / 27 + skew / 6
    tail = float(stdtr(look.df, -abs(t)))
    return t if tail < 1e-300 else copysign(float(ndtri(tail)), t)


def widened(candidate: float, other: float, margin: float) -> float:
    """The variance of two shares a margin apart over that of the two that were seen; from 1 to WIDEST."""
    seen = candidate * (1 - candidate) + other * (1 - other)
    if candidate - other <= -margin or seen <= 0:
        return 1.0
    low, high = restricted(candidate, other, margin)
    return min(max((low * (1 - low) + high * (1 - high)) / seen, 1.0), WIDEST)


def restricted(candidate: float, other: float, margin: float) -> tuple[float, float]:
    """The likeliest shares of candidate and other of which the first is lower by `margin`, given what was seen."""

    def slope(share: float) -> float:
        above = share + margin
        return (candidate - share) / (share * (1 - share)) + (other - above) / (above * (1 - above))

    end = 1e-9
    low, high = end, 1 - margin - end
    if slope(low) <= 0:
        share = low
    elif slope(high) >= 0:
        share = high
    else:
        share = float(brentq(slope, low, high))  # pyright: ignore[reportArgumentType,reportUnknownArgumentType]
    return share, share + margin
