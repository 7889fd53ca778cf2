"""What a test needs of one arm of an experiment: sums over its units. Rows are read once, where the sums are made.

Every metric is y over d, both summed over units; p over q is the same before exposure. A mean has d = q = 1 for each
unit. Leaves out what is no ratio of sums: quantiles have `stats.quantile`.
"""

from collections.abc import Iterable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike


class Arm(NamedTuple):
    """Sums over `n` units: of y, d, p and q, and of their products (`yd` is the sum of y times d).

    Sums of squares lose digits where a mean is many times its standard deviation: a value of 1e6 +- 1 leaves four.
    """

    n: float
    y: float
    d: float
    p: float
    q: float
    yy: float
    yd: float
    yp: float
    yq: float
    dd: float
    dp: float
    dq: float
    pp: float
    pq: float
    qq: float

    @classmethod
    def of_mean(cls, n: float, y: float, yy: float, *, p: float = 0.0, yp: float = 0.0, pp: float = 0.0) -> Self:
        """The arm of a mean over units: d and q are 1 for each of them."""
        return cls(n, y, n, p, n, yy, y, yp, y, n, p, n, pp, p, n)

    @classmethod
    def of_units(
        cls, y: ArrayLike, d: ArrayLike = 1.0, p: ArrayLike = 0.0, q: ArrayLike = 1.0, units: int | None = None
    ) -> Self:
        """The arm of values by unit, (n,) each or one for all. `units` says n where all four are one for all."""
        shape = np.broadcast_shapes(np.shape(y), np.shape(d), np.shape(p), np.shape(q), (units or 1,))
        values = np.stack([np.broadcast_to(np.asarray(each, dtype=np.float64), shape) for each in (y, d, p, q)])
        products = values @ values.T
        upper = products[np.triu_indices(4)]  # row by row: yy yd yp yq dd dp dq pp pq qq
        return cls(*map(float, (shape[0], *values.sum(axis=1), *upper)))


def merged(arms: Iterable[Arm]) -> Arm:
    """The arm of all their units together. Raises TypeError for none."""
    return Arm(*map(sum, zip(*arms, strict=True)))


def estimate(arm: Arm) -> float:
    """y over d. Raises ZeroDivisionError where d is 0."""
    return arm.y / arm.d


def before(arm: Arm) -> float:
    """p over q: the metric before exposure; 0 where nothing is known of that time."""
    return arm.p / arm.q if arm.q else 0.0


def variance(arm: Arm) -> float:
    """Variance of the estimate times n, in squared units of the estimate.

    That of (y - R d) / mean(d), R the estimate: what a unit adds to the ratio, to first order. For a mean it is the
    sample variance. n must be at least 2. Source: Deng, Knoblich and Lu (2018), Applying the delta method in metric
    analytics, section 3.1.
    """
    ratio = arm.y / arm.d
    residual = arm.yy - 2 * ratio * arm.yd + ratio * ratio * arm.dd
    return max(0.0, residual) * _scale(arm) / (arm.d * arm.d)


def variance_before(arm: Arm) -> float:
    """The same of p over q; 0 where nothing is known of that time."""
    if not arm.q:
        return 0.0
    ratio = arm.p / arm.q
    residual = arm.pp - 2 * ratio * arm.pq + ratio * ratio * arm.qq
    return max(0.0, residual) * _scale(arm) / (arm.q * arm.q)


def covariance_before(arm: Arm) -> float:
    """Covariance of y over d with p over q, times n, to first order; 0 where nothing is known of that time."""
    if not arm.q:
        return 0.0
    now, then = arm.y / arm.d, arm.p / arm.q
    residual = arm.yp - then * arm.yq - now * arm.dp + now * then * arm.dq
    return residual * _scale(arm) / (arm.d * arm.q)


def _scale(arm: Arm) -> float:
    """n squared over n - 1: residuals sum to zero by construction, so that one degree of freedom is gone."""
    return arm.n * arm.n / (arm.n - 1)
