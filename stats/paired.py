"""Two checkpoints compared sample by sample: what is hard for one is hard for the other, and drops out of a difference.

Attempts at a sample are averaged on each side first, so that one that is tried oftener weighs no more. A sample that
either side has no score for is dropped and counted, never a zero. Leaves out when to look and what to decide:
`stats.gate`.
"""

from collections.abc import Sequence
from math import isnan
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

from stats.clustered import Clustered, Floats, clustered, half_width

FEW: Final = 6
"""Samples that must differ before their own spread is believed. Of n tied pairs a share of -log(level) / n may still
differ: 3.7 / n at .025, 6 / n at .0025, which FEW flips more put within reach of the interval."""


class Attempt(NamedTuple):
    """One attempt of one checkpoint at one sample."""

    sample: str
    score: float | None
    """None or nan: there is none (infrastructure, a judge outside its labels)."""
    cluster: str | None = None
    """What samples share their luck through; None: the sample alone."""


class Difference(NamedTuple):
    """What one comparison says up to one look. Scores go from 0 to 1, and more is better."""

    candidate: float
    other: float
    """Means over the pairs."""
    se: float
    """Of the difference, clustered."""
    df: float
    samples: int
    """Pairs."""
    clusters: int
    skew: float = 0.0
    """Of the difference."""

    @property
    def value(self) -> float:
        """Candidate less other."""
        return self.candidate - self.other


class Paired(NamedTuple):
    """Candidate less other, over the samples that both have a score for. Scores' units."""

    candidate: float
    other: float
    """Means over the pairs alone: both of the same samples."""
    difference: float
    se: float
    df: float
    low: float
    high: float
    p: float
    """Two-sided, against no difference."""
    pairs: int
    clusters: int
    only_candidate: int
    """Samples that the candidate has a score for and the other has not, dropped."""
    only_other: int
    neither: int
    skew: float
    """Of the difference."""

    @property
    def share(self) -> float:
        """Pairs among the samples that any side was asked."""
        asked = self.pairs + self.only_candidate + self.only_other + self.neither
        return self.pairs / asked if asked else 0.0


def paired(candidate: Sequence[Attempt], other: Sequence[Attempt], confidence: float = 0.95) -> Paired:
    """The comparison; nan where there is no pair, and an infinite error with a single cluster.

    Raises ValueError where the two sides put a sample into different clusters.
    """
    mine, its_clusters = _means(candidate)
    theirs, other_clusters = _means(other)
    for sample in mine.keys() & theirs.keys():
        if its_clusters[sample] != other_clusters[sample]:
            named = f"{its_clusters[sample]!r} and {other_clusters[sample]!r}"
            raise ValueError(f"sample {sample!r} is in clusters {named}: both sides must name the same")
    asked = sorted(mine.keys() | theirs.keys())
    has = [(not isnan(mine.get(name, np.nan)), not isnan(theirs.get(name, np.nan))) for name in asked]
    both = [name for name, (here, there) in zip(asked, has, strict=True) if here and there]
    lost = (has.count((True, False)), has.count((False, True)), has.count((False, False)))
    if not both:
        nan, inf = float("nan"), float("inf")
        return Paired(nan, nan, nan, inf, 1.0, -inf, inf, 1.0, 0, 0, *lost, 0.0)
    left, right = np.array([mine[name] for name in both]), np.array([theirs[name] for name in both])
    commonest = int(np.unique(left - right, return_counts=True)[1].max())  # no difference, as a rule
    found = with_few(clustered(left - right, [its_clusters[name] for name in both]), len(both) - commonest)
    difference, se, df = float(found.mean), float(found.se), float(found.df)
    half = float(half_width(found, confidence))
    return Paired(
        candidate=float(left.mean()),
        other=float(right.mean()),
        difference=difference,
        se=se,
        df=df,
        low=difference - half,
        high=difference + half,
        p=float(2 * stdtr(df, -abs(difference) / se)),
        pairs=len(both),
        clusters=int(found.clusters),
        only_candidate=lost[0],
        only_other=lost[1],
        neither=lost[2],
        skew=float(found.skew),
    )


def with_few(found: Clustered, differ: ArrayLike) -> Clustered:
    """The same with an error that is believable where only `differ` samples have a difference that is not 0.

    As many flips as are missing to FEW are added to the sum of squares: two checkpoints that pass everything are not
    known to be equal, they are known to differ by little.
    """
    missing = np.maximum(FEW - np.asarray(differ, dtype=np.float64), 0.0)
    se: Floats = np.sqrt(found.se**2 + missing / found.samples**2)
    return found._replace(se=se)


def seen(found: Paired) -> Difference:
    """The difference as `stats.gate` reads it. Raises ValueError where there is no pair."""
    if not found.pairs:
        raise ValueError("no sample has a score on both sides: there is no difference to read")
    return Difference(found.candidate, found.other, found.se, found.df, found.pairs, found.clusters, found.skew)


def _means(attempts: Sequence[Attempt]) -> tuple[dict[str, float], dict[str, str]]:
    """By sample: the mean of its scores (nan where it has none), and its cluster."""
    scores: dict[str, list[float]] = {}
    clusters: dict[str, str] = {}
    for attempt in attempts:
        known = scores.setdefault(attempt.sample, [])
        if attempt.score is not None and not isnan(attempt.score):
            known.append(attempt.score)
        # A sample alone is a cluster of its own; a name that no cluster of samples has.
        cluster = f"={attempt.sample}" if attempt.cluster is None else f":{attempt.cluster}"
        if clusters.setdefault(attempt.sample, cluster) != cluster:
            raise ValueError(f"sample {attempt.sample!r} is in two clusters: {attempt.cluster!r} is the second")
    return {name: sum(each) / len(each) if each else float("nan") for name, each in scores.items()}, clusters
