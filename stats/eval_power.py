"""What a paired eval can see before it is run: samples, attempts and clusters against the difference that is wanted.

Levels are one-sided: .025 is the usual two-sided 95%. By Student's t with clusters - 1 degrees of freedom, so that few
repositories are told that they can't decide. Leaves out looks, confirmations and guardrails: `stats.gate_plan`.
"""

from collections.abc import Callable
from math import ceil, inf, isnan, sqrt
from typing import Final, NamedTuple

from scipy.special import nctdtr, nctdtrinc, stdtrit  # pyright: ignore[reportMissingTypeStubs]

MOST: Final = 1_000_000
"""Samples that nobody will ask for: what needs more is undecidable."""
FAR: Final = 100.0
"""A drift that is seen at any level, where the quantiles of the non-central t end."""


class Parts(NamedTuple):
    """Where the variance of a difference comes from, in squared units of the score."""

    clusters: float
    """Of the true difference between clusters. 0: every cluster has the same."""
    samples: float
    """Of the true difference between the samples of a cluster."""
    attempts: float
    """Of one attempt, both sides added: p (1 - p) of the candidate and of the other."""


class Clusters(NamedTuple):
    """How samples lie in clusters: `each` in one; as many clusters as it takes, or a `fixed` number of them."""

    each: float = 1.0
    fixed: int | None = None

    def of(self, samples: float) -> float:
        """How many clusters hold that many samples."""
        return samples / self.each if self.fixed is None else min(float(self.fixed), samples)


class Undecidable(NamedTuple):
    """No number of samples reaches the wanted power in so many clusters."""

    clusters: int
    power: float
    """At best, with samples without end."""
    enough: int | None
    """How many clusters could decide; None where even MOST could not."""

    def __str__(self) -> str:
        way = f"{self.enough} would" if self.enough else "no number would"
        named = "repository" if self.clusters == 1 else "repositories"
        return f"undecidable with {self.clusters} {named}: power {self.power:.0%} at best; {way}"


def variance(parts: Parts, samples: float, attempts: int, clusters: float) -> float:
    """Of the mean difference. Source: Miller (2024), Adding error bars to evals, sections 2.2 and 3.2."""
    return parts.clusters / clusters + (parts.samples + parts.attempts / attempts) / samples


def power(
    parts: Parts, difference: float, samples: float, attempts: int, clusters: Clusters, *, level: float = 0.025
) -> float:
    """The chance that the lower end of the interval is above 0 where the truth is `difference`."""
    number = clusters.of(samples)
    if number < 2:
        return 0.0
    drift = difference / sqrt(variance(parts, samples, attempts, number))
    return t_power(drift, number - 1, level)


def t_power(drift: float, df: float, level: float) -> float:
    """The chance that Student's t with the non-centrality `drift` is beyond its quantile at `level`."""
    beyond = float(1 - nctdtr(df, drift, stdtrit(df, 1 - level)))
    return 1.0 if drift > FAR or isnan(beyond) else beyond


def t_drift(power: float, df: float, level: float) -> float:
    """The non-centrality at which `t_power` is `power`."""
    return float(nctdtrinc(df, 1 - power, stdtrit(df, 1 - level)))


def samples_for(
    parts: Parts, difference: float, attempts: int, clusters: Clusters, *, level: float = 0.025, wanted: float = 0.8
) -> int | Undecidable:
    """The least number of samples with which `power` is `wanted`, or why there is none.

    Raises ValueError for a difference that is not above 0.
    """
    if difference <= 0:
        raise ValueError(f"no number of samples sees a difference of {difference:g}")

    def reached(samples: int) -> bool:
        return power(parts, difference, samples, attempts, clusters, level=level) >= wanted

    if not reached(MOST):
        return _undecidable(parts, difference, clusters, level, wanted)
    return least(reached, ceil(2 * clusters.each) if clusters.fixed is None else 2)


def detectable(
    parts: Parts, samples: int, attempts: int, clusters: Clusters, *, level: float = 0.025, wanted: float = 0.8
) -> float:
    """The least difference that so many samples see with that power; infinite with fewer than two clusters."""
    number = clusters.of(samples)
    if number < 2:
        return inf
    return t_drift(wanted, number - 1, level) * sqrt(variance(parts, samples, attempts, number))


def least(reached: Callable[[int], bool], low: int = 1, high: int = MOST) -> int:
    """The least number from `low` to `high` for which `reached`, which stays true once it is."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low


def _undecidable(parts: Parts, difference: float, clusters: Clusters, level: float, wanted: float) -> Undecidable:
    """Why: with samples without end only the clusters' part of the variance is left."""

    def best(number: int) -> float:
        spread = parts.clusters / number + (parts.samples + parts.attempts) / MOST
        return t_power(difference / sqrt(spread), number - 1, level)

    now = int(clusters.of(MOST))
    enough = least(lambda number: best(number) >= wanted, max(now, 2), MOST) if best(MOST) >= wanted else None
    return Undecidable(now, best(now) if now > 1 else 0.0, enough)
