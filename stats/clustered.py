"""The mean of samples that share their luck in clusters (repositories, conversations), with an error that knows it.

Sums by cluster are all it reads, so that a warehouse makes them; leading axes are comparisons done at once. Attempts at
a sample are averaged before. Leaves out clusters within clusters.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]

Floats = NDArray[np.float64]


class Clustered(NamedTuple):
    """A mean in the units of the values. Arrays of one shape, where many were asked for at once."""

    mean: Floats
    se: Floats
    """Infinite with fewer than two clusters: nothing is known of how they differ."""
    df: Floats
    """Of Student's t: clusters - 1 where they are of one size, fewer where a few weigh most."""
    samples: Floats
    clusters: Floats
    skew: Floats
    """Of the mean itself, by the third moment of its clusters; 0 with fewer than three."""


def clustered(values: ArrayLike, clusters: ArrayLike) -> Clustered:
    """The mean of `values` (samples,), each in the cluster that `clusters` (samples,) names; arrays of shape ().

    Raises ValueError for no sample, and for a value that is no number: what is missing is left out before, and counted.
    """
    rows = np.asarray(values, dtype=np.float64)
    if not rows.size or not np.isfinite(rows).all():
        raise ValueError(
            f"{rows.size} values, {int(np.isfinite(rows).sum())} of them numbers: a mean wants numbers only"
        )
    place: NDArray[np.intp] = np.unique(np.asarray(clusters), return_inverse=True)[1].ravel()
    sizes = np.bincount(place).astype(np.float64)
    squares = np.bincount(place, rows * rows)
    return of_sums(np.bincount(place, rows), sizes, squares)


def of_sums(sums: ArrayLike, sizes: ArrayLike, squares: ArrayLike) -> Clustered:
    """The same from what each cluster adds up to: values, samples and squared values, (..., clusters) each.

    A cluster without samples (size 0) is none. The error is the bias-reduced one (CR2), its bias and its degrees of
    freedom taken from a model in which samples of a cluster are as alike as these are: exact for clusters of one size,
    where it is Student's t on their means. Source: Bell and McCaffrey (2002), Bias reduction in standard errors for
    linear regression with multi-stage samples; Imbens and Kolesar (2016), Robust standard errors in small samples,
    section 4.
    """
    size, total, square = np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in (sizes, sums, squares)))
    samples, clusters = size.sum(axis=-1), (size > 0).sum(axis=-1).astype(np.float64)
    several = clusters > 1
    mean: Floats = total.sum(axis=-1) / samples
    weight = size / samples[..., None]
    residual = total - size * mean[..., None]
    free = np.where(weight < 1, 1 - weight, 1.0)
    variance = (residual**2 / free).sum(axis=-1) / samples**2
    rho = _alikeness(total, size, square, mean)[..., None]
    spread = size * (1 - rho) + size * size * rho  # variance of a cluster's sum, in the model
    whole = spread.sum(axis=-1)
    # The model's covariance of residuals, each over the root of `free`: its trace, and that of its square.
    root = weight / np.sqrt(free)
    own = spread / np.sqrt(free)
    diagonal = spread / free
    trace = (diagonal - 2 * root * own + root**2 * whole[..., None]).sum(axis=-1)
    rr, ro, oo = (root**2).sum(axis=-1), (root * own).sum(axis=-1), (own**2).sum(axis=-1)
    mixed = (diagonal * root * own).sum(axis=-1)
    traced = (
        (diagonal**2).sum(axis=-1)
        - 4 * mixed
        + 2 * whole * (diagonal * root**2).sum(axis=-1)
        + 2 * (rr * oo + ro**2)
        - 4 * whole * rr * ro
        + whole**2 * rr**2
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.where(several, np.sqrt(variance * whole / trace), np.inf)
        df = np.where(several, np.clip(trace**2 / traced, 1.0, np.maximum(clusters - 1, 1.0)), 1.0)
    return Clustered(mean, se, df, samples, clusters, _skew(residual, clusters))


def half_width(found: Clustered, confidence: float = 0.95) -> Floats:
    """Half the interval of a mean that may be any number: Student's t times the error."""
    return np.asarray(stdtrit(found.df, 0.5 + confidence / 2)) * found.se


def share_interval(found: Clustered, attempts: int = 1, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Both ends for the mean of scores from 0 to 1, within 0 and 1 and never without width.

    Wilson's interval at the number of independent samples that would have this error, with Student's t. That number is
    at most samples times `attempts` (a sample), and the samples where none differs from another: all passed, or none.
    Nothing is known with one cluster: 0 to 1. Raises ValueError for a mean outside 0 to 1. Source: Korn and Graubard
    (1998), Confidence intervals for proportions with small expected number of positive counts, for the number; Dean and
    Pagano (2015), Evaluating confidence interval methods for binomial proportions in clustered surveys, for the choice.
    """
    mean = np.clip(found.mean, 0.0, 1.0)
    if (np.abs(mean - found.mean) > 1e-9).any():
        raise ValueError(f"a mean of {found.mean} is no share: scores go from 0 to 1")
    square, spread = found.se**2, mean * (1 - mean)
    differ = (found.se > 0) & (spread > 0)
    number = np.where(differ, np.divide(spread, np.where(differ, square, 1.0)), found.samples)
    number = np.where(np.isfinite(found.se), np.minimum(number, found.samples * attempts), 0.0)
    t = np.asarray(stdtrit(found.df, 0.5 + confidence / 2))
    known = np.where(number > 0, number, 1.0)
    widen = 1 + t * t / known
    centre = (mean + t * t / (2 * known)) / widen
    half = t / widen * np.sqrt(spread / known + t * t / (4 * known * known))
    low = np.where((number > 0) & (mean > 0), np.clip(centre - half, 0.0, 1.0), 0.0)
    high = np.where((number > 0) & (mean < 1), np.clip(centre + half, 0.0, 1.0), 1.0)
    return low, high


def p_above(found: Clustered, bound: float = 0.0) -> Floats:
    """One-sided, against a true mean of `bound` or less; 1/2 where no value differs from another."""
    known = np.isfinite(found.se) & (found.se > 0)
    t = np.divide(found.mean - bound, np.where(known, found.se, 1.0))
    return np.where(known, stdtr(found.df, -t), 0.5)


def _skew(residual: Floats, clusters: Floats) -> Floats:
    """Third standardised moment of the sum of `residual` (..., clusters): 1 over the root of their number smaller."""
    number = np.maximum(clusters, 3.0)
    square: Floats = (residual**2).sum(axis=-1) / (number - 1)
    third = number / ((number - 1) * (number - 2)) * (residual**3).sum(axis=-1)
    known = (clusters > 2) & (square > 0)
    return np.where(known, third / np.where(known, square, 1.0) ** 1.5 / np.sqrt(number), 0.0)


def _alikeness(sums: Floats, sizes: Floats, squares: Floats, mean: Floats) -> Floats:
    """The intraclass correlation by analysis of variance, from 0 to 1; 1 where no value differs from another."""
    samples, clusters = sizes.sum(axis=-1), (sizes > 0).sum(axis=-1)
    own = np.divide(sums, sizes, out=np.zeros(sums.shape), where=sizes > 0)
    within: Floats = np.maximum((squares - sums * own).sum(axis=-1), 0.0)
    between: Floats = (sizes * (own - mean[..., None]) ** 2).sum(axis=-1)
    degrees = np.maximum(clusters - 1, 1)
    within = within / np.maximum(samples - clusters, 1)
    between = between / degrees
    usual = (samples - (sizes**2).sum(axis=-1) / samples) / degrees  # the size of a cluster, for this purpose
    whole = between + (usual - 1) * within
    return np.where(whole > 1e-12, np.clip(np.divide(between - within, np.where(whole > 1e-12, whole, 1.0)), 0, 1), 1.0)
