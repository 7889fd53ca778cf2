"""Group-sequential bounds: how far z must be at each look so that all looks together err with chance alpha.

Alpha is spent as O'Brien and Fleming do: next to nothing early, so that the last look costs little. Two-sided and
symmetric, without bounds for futility. Looks may come at any fraction of the planned information.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri  # pyright: ignore[reportMissingTypeStubs]

from stats.wilson import Interval

Floats = NDArray[np.float64]

CAP: Final = 8.0
"""No bound asks for more. O'Brien and Fleming's of a first day is 11 or 12, which would keep a disaster running; all
looks at 8 together cost 1e-13 of alpha. (DeMets and Lan's program does the same.)"""
CLOSEST: Final = 0.998
"""Two looks are never taken to share more of their information than this: the narrower the step, the finer the grid. To
assume less than they share makes bounds wider, not narrower."""
_CHUNK: Final = 256


class Crossing(NamedTuple):
    """(..., looks) each: the chance to have crossed by then."""

    upper: Floats
    lower: Floats


class _Inside(NamedTuple):
    """What has not crossed yet, under no effect: mass by |z|; as much lies at -z. (sequences, points) each."""

    z: Floats
    mass: Floats


def spent(fractions: ArrayLike, alpha: float = 0.05) -> Floats:
    """Alpha spent, both sides together, by each fraction of the planned information; all of it from 1 on.

    Source: Lan and DeMets (1983), Discrete sequential boundaries for clinical trials, their first function, half of
    alpha a side.
    """
    share = np.clip(np.asarray(fractions, dtype=np.float64), 0.0, 1.0)
    level = 4 * ndtr(ndtri(alpha / 4) / np.sqrt(np.where(share > 0, share, 1.0)))
    return np.where(share <= 0, 0.0, np.where(share >= 1, alpha, level))


def bounds(fractions: ArrayLike, alpha: float = 0.05, clock: ArrayLike | None = None) -> Floats:
    """|z| that crosses at each look: (..., looks), for as many sequences of fractions as there are.

    `fractions` (..., looks) is information over planned information. The first at 1 or above spends what is left,
    wherever it lies; looks after it have an infinite bound. `clock` (..., looks), by default the fractions, is what two
    looks share: their z have correlation sqrt(clock / later clock). Both are taken at their running maximum. A clock
    under which z is less correlated than it is in truth makes bounds too wide, not too narrow (Slepian 1962). Source:
    Armitage, McPherson and Rowe (1969); Jennison and Turnbull (2000), Group sequential methods, chapter 19; by
    Gauss-Legendre.
    """
    share = np.maximum.accumulate(np.asarray(fractions, dtype=np.float64), axis=-1)
    ticks = share if clock is None else np.maximum.accumulate(np.asarray(clock, dtype=np.float64), axis=-1)
    if not share.size:
        return np.zeros(share.shape)
    flat, flat_ticks = share.reshape(-1, share.shape[-1]), ticks.reshape(-1, share.shape[-1])
    found = [
        _bounds(flat[start : start + _CHUNK], flat_ticks[start : start + _CHUNK], alpha)
        for start in range(0, len(flat), _CHUNK)
    ]
    return np.concatenate(found).reshape(share.shape)


def crossing(bounds: ArrayLike, fractions: ArrayLike, drift: ArrayLike) -> Crossing:
    """The chance to have crossed each bound, where z at full information has the mean `drift`.

    `bounds` and `fractions` (looks,), `drift` of any shape, the chances (..., looks). Bounds may be infinite. Raises
    ValueError unless fractions are above 0 and increase. Source: Jennison and Turnbull (2000), section 19.3, from the
    density under no effect by the likelihood ratio.
    """
    limits, share = np.asarray(bounds, dtype=np.float64), np.asarray(fractions, dtype=np.float64)
    drifts = np.asarray(drift, dtype=np.float64)[..., None]
    before = np.concatenate(([0.0], share[:-1]))
    if (share <= before).any():
        raise ValueError(f"fractions of information must increase from above 0: {share.tolist()}")
    rho, sigma = np.sqrt(before / share), np.sqrt(1 - before / share)
    inside, upper, lower = (
        _start(1),
        np.zeros((*drifts.shape[:-1], len(share))),
        np.zeros((*drifts.shape[:-1], len(share))),
    )
    for look, limit in enumerate(limits):
        shift = drifts * (np.sqrt(share[look]) - rho[look] * np.sqrt(before[look]))
        for z in (inside.z[0], -inside.z[0]):
            likely = inside.mass[0] * np.exp(drifts * np.sqrt(before[look]) * z - drifts**2 * before[look] / 2)
            mean = rho[look] * z + shift
            upper[..., look] += (likely * ndtr((mean - limit) / sigma[look])).sum(axis=-1)
            lower[..., look] += (likely * ndtr((-limit - mean) / sigma[look])).sum(axis=-1)
        if look + 1 < len(share):
            here = slice(look, look + 1)
            inside = _advance(inside, rho[here, None], sigma[here, None], limits[here], float(sigma[look + 1]))
    return Crossing(np.cumsum(upper, axis=-1), np.cumsum(lower, axis=-1))


def repeated_interval(difference: float, se: float, bound: float) -> Interval:
    """Both ends at a look with that bound: such intervals cover at all looks together, stopped or not.

    Source: Jennison and Turnbull (1989), Interim analyses: the repeated confidence interval approach.
    """
    return Interval(difference - bound * se, difference + bound * se)


def _bounds(share: Floats, ticks: Floats, alpha: float) -> Floats:
    """(sequences, looks), both running maxima."""
    none = np.zeros((len(share), 1))
    level = np.concatenate((none, spent(share, alpha)), axis=1)
    before = np.concatenate((none, ticks[:, :-1]), axis=1)
    shared = np.minimum(CLOSEST, before / np.where(ticks > 0, ticks, 1.0))
    rho, sigma = np.sqrt(shared), np.sqrt(1 - shared)
    inside, found = _start(len(share)), np.full(share.shape, np.inf)
    for look in range(share.shape[1]):
        here = (inside, rho[:, look, None], sigma[:, look, None])
        limit = _solved(*here, level[:, look + 1] - level[:, look])
        found[:, look] = np.where(level[:, look] < alpha, limit, np.inf)
        if look + 1 < share.shape[1]:
            inside = _advance(*here, found[:, look], float(sigma[:, look + 1].min()))
    return found


def _start(sequences: int) -> _Inside:
    """Before the first look: all at 0, half of it on either side."""
    return _Inside(np.zeros((sequences, 1)), np.full((sequences, 1), 0.5))


def _advance(inside: _Inside, rho: Floats, sigma: Floats, limit: Floats, following: float) -> _Inside:
    """What is inside `limit` (sequences,) after a look; `rho`, `sigma` (sequences, 1) lead there, `following` on."""
    edge = np.minimum(limit, CAP)[:, None]
    # Some points for each width of the narrowest bell that is summed over or that the sum is made of.
    points = 12 + int(np.ceil(1.2 * edge.max() / min(float(sigma.min()), following)))
    nodes, weights = _gauss_legendre(points)
    z = edge * (nodes + 1) / 2
    means = (rho * inside.z)[:, :, None]
    bells = np.exp(-0.5 * ((z[:, None, :] - means) / sigma[:, :, None]) ** 2)
    bells += np.exp(-0.5 * ((z[:, None, :] + means) / sigma[:, :, None]) ** 2)
    density = np.einsum("sp,spq->sq", inside.mass, bells) / (sigma * np.sqrt(2 * np.pi))
    return _Inside(z, density * edge * weights / 2)


def _solved(inside: _Inside, rho: Floats, sigma: Floats, level: Floats) -> Floats:
    """|z| beyond which lies `level` (sequences,) of what is inside, at most CAP.

    Newton's method on the logarithm of the chance, which is concave in the bound: from any start it converges.
    """
    means, start = rho * inside.z, np.maximum(1.0, inside.z[:, -1])
    limit = np.where(level > 0, start, CAP)
    wanted = np.log(np.where(level > 0, level, 1.0))
    for _ in range(60):
        near, far = (limit[:, None] - means) / sigma, (limit[:, None] + means) / sigma
        beyond = 2 * (inside.mass * (ndtr(-near) + ndtr(-far))).sum(axis=1)
        bells = np.exp(-0.5 * near * near) + np.exp(-0.5 * far * far)
        slope = 2 * (inside.mass * bells / (sigma * np.sqrt(2 * np.pi))).sum(axis=1)
        # Too far out to have a chance at all: halfway back.
        there = (beyond > 0) & (slope > 0)
        step = (np.log(np.where(there, beyond, 1.0)) - wanted) * beyond / np.where(there, slope, 1.0)
        nearer = np.where(level > 0, np.clip(np.where(there, limit + step, (limit + start) / 2), 0.0, CAP), CAP)
        moved, limit = np.abs(nearer - limit).max(), nearer
        if moved < 1e-10:
            break
    return limit


@lru_cache(maxsize=512)
def _gauss_legendre(points: int) -> tuple[Floats, Floats]:
    """Nodes and weights on [-1, 1]: found by eigenvalues, which take longer than the sums made with them."""
    return np.polynomial.legendre.leggauss(points)
