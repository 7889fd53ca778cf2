"""Where the variance of a paired difference comes from: clusters, samples, attempts. What a plan is made by.

By analysis of variance, from an earlier comparison of the same kind: two checkpoints, several attempts a sample. Leaves
out how sure these figures are: with ten clusters the clusters' part is hardly known, so plan with what several earlier
comparisons have on average (`pooled`).
"""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import NormalDist, fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stats.clustered import Floats
from stats.eval_power import Parts


def split(differences: ArrayLike, clusters: ArrayLike, noise: ArrayLike, attempts: int) -> Parts:
    """The parts, from `differences` of sample means (samples,) in `clusters` (samples,).

    `noise` (samples,): the variance of one attempt, both sides added, by `of_attempts`; nan where a side has a single
    one. Where all have, everything within clusters counts as the samples' own, so that more attempts promise nothing.
    Parts may come out below 0, so that their mean over several comparisons is right. Raises ValueError for fewer than
    two clusters. Source: Searle, Casella and McCulloch (1992), Variance components, section 3.6.
    """
    each, spread = np.asarray(differences, dtype=np.float64), np.asarray(noise, dtype=np.float64)
    place: NDArray[np.intp] = np.unique(np.asarray(clusters), return_inverse=True)[1].ravel()
    sizes = np.bincount(place).astype(np.float64)
    number, samples = len(sizes), len(each)
    if number < 2:
        raise ValueError(f"{samples} samples in {number} clusters: how clusters differ wants two of them")
    means = np.bincount(place, each) / sizes
    between = float((sizes * (means - each.mean()) ** 2).sum()) / (number - 1)
    usual = (samples - float((sizes**2).sum()) / samples) / (number - 1)
    known = spread[np.isfinite(spread)]
    attempt = float(known.mean()) if len(known) else 0.0
    if samples == number:  # nothing lies within a cluster: all are one part
        return Parts(0.0, between - attempt / attempts, attempt)
    within = float(((each - means[place]) ** 2).sum()) / (samples - number)
    return Parts((between - within) / usual, within - attempt / attempts, attempt)


def of_attempts(trials: ArrayLike, sums: ArrayLike, squares: ArrayLike) -> Floats:
    """The variance of one attempt at each sample of one side, from sums over its attempts; nan with fewer than two."""
    n, total, square = (np.asarray(each, dtype=np.float64) for each in (trials, sums, squares))
    several = n > 1
    count = np.where(several, n, 2.0)
    return np.where(several, np.maximum(square - total * total / count, 0.0) / (count - 1), np.nan)


def pooled(parts: Sequence[Parts]) -> Parts:
    """What to plan by: the mean of several comparisons, no part below 0. Raises ValueError for none."""
    if not parts:
        raise ValueError("no comparison to plan by")
    return Parts(*(max(fmean(each), 0.0) for each in zip(*parts, strict=True)))


def rerun_width(noise: float | None, samples: int, attempts: int, confidence: float = 0.95) -> float:
    """How far apart two runs of one checkpoint on the same samples come out by luck alone (A/A): half the interval.

    `noise`: the variance of one attempt of one checkpoint, mean over samples; None where no sample was tried twice, for
    which the worst that a score from 0 to 1 can have stands in, 1/4. Infinite without samples.
    """
    if samples * attempts < 1:
        return inf
    spread = 0.25 if noise is None else noise
    return NormalDist().inv_cdf(0.5 + confidence / 2) * sqrt(2 * spread / (samples * attempts))
