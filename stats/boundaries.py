"""Two bounds for a test that is looked at several times: above one it has shown its effect, below the other it won't.

One-sided. The upper bound spends `level` under no effect as if the lower one were not there, so that whoever goes on
below it errs no oftener. The lower one spends `miss`, the chance to overlook the planned effect. Both spend evenly by
samples, which stops early: what a checkpoint costs on average counts here, where an experiment's last estimate counts
for O'Brien and Fleming's (`stats.spending`, which is two-sided).
"""

from collections.abc import Callable
from functools import lru_cache
from math import pi, sqrt
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


class _Inside(NamedTuple):
    """What has not left by a share of samples: mass at points of the score z sqrt(share)."""

    score: Floats
    mass: Floats
    share: float


_START: Final = _Inside(np.zeros(1), np.ones(1), 0.0)


def passing(upper: ArrayLike, lower: ArrayLike, shares: ArrayLike, drift: float) -> Passing:
    """How often each bound is crossed where z has the mean `drift` at the share 1 of samples.

    `upper`, `lower` and `shares` (looks,), shares increasing from above 0. Source: Armitage, McPherson and Rowe (1969);
    Jennison and Turnbull (2000), Group sequential methods, chapter 19; by Gauss-Legendre on the score.
    """
    high, low, share = (np.asarray(each, dtype=np.float64).tolist() for each in (upper, lower, shares))
    up, down, inside = np.zeros(len(share)), np.zeros(len(share)), _START
    for look, now in enumerate(share):
        up[look] = _beyond(inside, now, high[look], drift)
        down[look] = _below(inside, now, low[look], drift)
        if look + 1 < len(share):
            inside = _kept(inside, now, (low[look], high[look]), drift)
    return Passing(up, down)


@lru_cache(maxsize=4096)
def bounds(shares: tuple[float, ...], level: float, miss: float, drift: float) -> Bounds:
    """The bounds of looks at `shares` of what was planned; the last is the end, wherever it lies, and spends the rest.

    `drift` is the mean of z at the share 1. `miss` is spent at looks before the end; there the upper bound alone
    decides. Raises ValueError unless shares increase from above 0. Source: Kim and DeMets (1987), Design and analysis
    of group sequential tests based on the type I error spending rate function; Pampallona, Tsiatis and Kim (2001) for
    spending the other error.
    """
    upper, lower, inside = _uppers(shares, level), list[float](), _START
    passes = gone = 0.0
    for look, now in enumerate(shares):
        high = upper[look]
        passes += _beyond(inside, now, high, drift)
        if look + 1 == len(shares):
            lower.append(high)
            break
        wanted = miss * min(now, 1.0) - gone

        def excess(bound: float, *, inside: _Inside = inside, now: float = now, wanted: float = wanted) -> float:
            return _below(inside, now, bound, drift) - wanted

        low = -FAR if excess(-FAR) >= 0 else high if excess(high) <= 0 else _root(excess, -FAR, high)
        gone += _below(inside, now, low, drift)
        inside = _kept(inside, now, (low, high), drift)
        lower.append(low)
    return Bounds(upper, tuple(lower), passes)


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
def _uppers(shares: tuple[float, ...], level: float) -> tuple[float, ...]:
    """The upper bounds, without lower ones and under no effect."""
    found, inside, spent = list[float](), _START, 0.0
    for look, now in enumerate(shares):
        wanted = level * (1.0 if look + 1 == len(shares) else min(now, 1.0)) - spent

        def excess(bound: float, *, inside: _Inside = inside, now: float = now, wanted: float = wanted) -> float:
            return wanted - _beyond(inside, now, bound, 0.0)

        bound = FAR if excess(FAR) <= 0 else _root(excess, -FAR, FAR)
        spent += _beyond(inside, now, bound, 0.0)
        inside = _kept(inside, now, (-np.inf, bound), 0.0)
        found.append(bound)
    return tuple(found)


def _beyond(inside: _Inside, now: float, bound: float, drift: float) -> float:
    """The mass that is above a bound at the share `now`."""
    step = _step(inside, now)
    return float(inside.mass @ ndtr((inside.score + drift * step - bound * sqrt(now)) / sqrt(step)))


def _below(inside: _Inside, now: float, bound: float, drift: float) -> float:
    step = _step(inside, now)
    return float(inside.mass @ ndtr((bound * sqrt(now) - inside.score - drift * step) / sqrt(step)))


def _kept(inside: _Inside, now: float, limits: tuple[float, float], drift: float) -> _Inside:
    """What is between both bounds at the share `now`; nothing, where they meet."""
    step, root = _step(inside, now), sqrt(now)
    bottom, top = (bound * root for bound in limits)
    end = max(bottom, min(-FAR * root, drift * now - FAR * root))
    half = max((top - end) / 2, 0.0)
    points = (top + end) / 2 + half * _NODES
    away = (points[:, None] - inside.score - drift * step) / sqrt(step)
    density = np.exp(-(away**2) / 2) @ inside.mass / sqrt(2 * pi * step)
    return _Inside(points, density * half * _WEIGHTS, now)


def _step(inside: _Inside, now: float) -> float:
    if now <= inside.share:
        raise ValueError(f"shares of samples must increase from above 0: {now:g} comes after {inside.share:g}")
    return now - inside.share


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    return brentq(excess, low, high, xtol=1e-7)  # pyright: ignore[reportReturnType,reportUnknownVariableType]
