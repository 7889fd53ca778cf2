"""An interval for a share. Rows are taken as independent: repeated rows of one conversation make it too narrow."""

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """Both ends of an interval, in the units of what it is for."""

    low: float
    high: float


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of `successes / n`, within 0 and 1.

    `n` may be how many independent ones some are worth. `successes` may be a sum of scores between 0 and 1: their
    variance is at most that of right-or-wrong with the same mean, so the interval is then on the wide side. Raises
    ValueError unless 0 <= successes <= n and n > 0.
    Source: Wilson (1927), Probable inference; Brown, Cai and DasGupta (2001), section 3.1.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is not a share")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the formula is exact but for rounding, which would show as 7e-18.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high)
