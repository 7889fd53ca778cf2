"""Two bounds for a test that is looked at several times: above one it has shown its effect, below the other it won't.

One-sided. The upper bound spends `level` under no effect as if the lower one were not there, so that whoever goes on
below it errs no oftener. The lower one spends `miss`, the chance to overlook the planned effect. Both spend evenly by
samples, which stops early: what a checkpoint costs on average counts here, where an experiment's last estimate counts
for O'Brien and Fleming's (`stats.spending`, which is two-sided).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq  # pyright: ignore[reportMissingTypeStubs,reportUnknownVariableType]
from scipy.special import ndtr, ndtri  # pyright: ignore[reportMissingTypeStubs]

Floats = NDArray[np.float64]

FAR: Final = 8.5
"""No bound lies farther out: beyond it is 1e-17."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)


class Bounds(NamedTuple):
    """z that is enough, and z that is too little, by look; at the last look they are one."""

    upper: tuple[float, ...]
    lower: tuple[float, ...]
    passes: float
    """The chance to cross the upper bound under the planned effect."""


class Passing(NamedTuple):
    """(looks,) each: the chance to leave at that look."""

    up: Floats
    down: Floats


def passing(upper: ArrayLike, lower: ArrayLike, shares: ArrayLike, drift: float) -> Passing:
    """How often each bound is crossed where z has the mean `drift` at the share 1 of samples.

    `upper`, `lower` and `shares` (looks,), shares increasing from above 0. Source: Armitage, McPherson and Rowe (1969);
    Jennison and Turnbull (2000), Group sequential methods, chapter 19; by Gauss-Legendre on the score z sqrt(share).
    """
    high, low, share = (np.asarray(each, dtype=np.float64) for each in (upper, lower, shares))
    up, down = np.zeros(len(share)), np.zeros(len(share))
    score, mass, before = np.zeros(1), np.ones(1), 0.0
    for look, now in enumerate(share.tolist()):
        step, root = now - before, np.sqrt(now)
        if step <= 0:
            raise ValueError(f"shares of samples must increase from above 0: {share.tolist()}")
        centre, spread = score + drift * step, np.sqrt(step)
        top, bottom = high[look] * root, low[look] * root
        up[look] = mass @ ndtr((centre - top) / spread)
        down[look] = mass @ ndtr((bottom - centre) / spread)
        if look + 1 == len(share):
            break
        end = max(bottom, min(-FAR * root, drift * now - FAR * root))
        half = (top - end) / 2
        if half <= 0:  # nothing is between the bounds: all have left
            break
        points = (top + end) / 2 + half * _NODES
        density = np.exp(-(((points[:, None] - centre) / spread) ** 2) / 2) @ mass / (spread * np.sqrt(2 * np.pi))
        score, mass, before = points, density * half * _WEIGHTS, now
    return Passing(up, down)


@lru_cache(maxsize=4096)
def bounds(shares: tuple[float, ...], level: float, miss: float, drift: float) -> Bounds:
    """The bounds of looks at `shares` of what was planned; the last is the end, wherever it lies, and spends the rest.

    `drift` is the mean of z at the share 1. `miss` is spent at looks before the end; there the upper bound alone
    decides. Raises ValueError unless shares increase from above 0. Source: Kim and DeMets (1987), Design and analysis
    of group sequential tests based on the type I error spending rate function; Pampallona, Tsiatis and Kim (2001) for
    spending the other error.
    """
    ends = np.array(shares)
    upper, lower = list[float](), list[float]()
    spend = np.minimum(ends, 1.0)
    spend[-1] = 1.0
    for look in range(len(ends)):
        upper.append(_upper(tuple(ends[: look + 1].tolist()), tuple(upper), level * float(spend[look])))
    for look in range(len(ends) - 1):
        wanted = miss * float(spend[look])
        seen, above = ends[: look + 1], upper[: look + 1]

        def excess(bound: float, *, to: float = wanted, seen: Floats = seen, above: list[float] = above) -> float:
            return float(passing(above, [*lower, bound], seen, drift).down.sum()) - to

        if excess(-FAR) >= 0:
            lower.append(-FAR)
        else:
            lower.append(upper[look] if excess(upper[look]) <= 0 else _root(excess, -FAR, upper[look]))
    lower.append(upper[-1])
    return Bounds(tuple(upper), tuple(lower), float(passing(upper, lower, ends, drift).up.sum()))


@lru_cache(maxsize=4096)
def drift_for(looks: int, level: float, passes: float) -> float:
    """The mean of z at the end with which the upper bound is crossed with chance `passes`, at even looks."""
    shares = tuple((np.arange(1, looks + 1) / looks).tolist())

    def excess(drift: float) -> float:
        return bounds(shares, level, 1 - passes, drift).passes - passes

    least = float(ndtri(passes) - ndtri(level))
    return _root(excess, least - 0.01, least + 2.0)


@lru_cache(maxsize=4096)
def level_for(looks: int, drift: float, passes: float) -> float:
    """The chance to cross under no effect with which `drift` crosses with chance `passes`, at even looks; at most 1."""
    shares = tuple((np.arange(1, looks + 1) / looks).tolist())

    def excess(level: float) -> float:
        return bounds(shares, level, 1 - passes, drift).passes - passes

    return 1.0 if excess(0.99) < 0 else _root(excess, 1e-9, 0.99)


@lru_cache(maxsize=4096)
def _upper(shares: tuple[float, ...], before: tuple[float, ...], spent: float) -> float:
    """The bound of the last of `shares` after the bounds `before`, by which `spent` is spent in all."""
    none = [-np.inf] * len(shares)

    def excess(bound: float) -> float:
        return spent - float(passing([*before, bound], none, shares, 0.0).up.sum())

    return FAR if excess(FAR) <= 0 else _root(excess, -FAR, FAR)


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    return brentq(excess, low, high, xtol=1e-7)  # pyright: ignore[reportReturnType,reportUnknownVariableType]
