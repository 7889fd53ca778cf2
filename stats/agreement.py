"""How far a judge agrees with people: kappa, what it keeps when sides are swapped, a rate with its errors taken out.

Two answers, yes and no. Rows are taken as independent: several of one conversation make intervals too narrow. How well
probabilities are calibrated is in `stats.calibration`.
"""

from math import comb, sqrt
from statistics import NormalDist
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from stats.wilson import Interval, wilson


class Confusion(NamedTuple):
    """How often judge and people said what, of the same things."""

    both: int
    """Both said yes."""
    judge_only: int
    people_only: int
    neither: int

    @classmethod
    def of(cls, judge: ArrayLike, people: ArrayLike) -> Self:
        """From answers, (n,) each, true for yes."""
        said, known = np.asarray(judge, dtype=np.bool_), np.asarray(people, dtype=np.bool_)
        return cls(
            int((said & known).sum()),
            int((said & ~known).sum()),
            int((~said & known).sum()),
            int((~said & ~known).sum()),
        )

    @property
    def n(self) -> int:
        """How many."""
        return sum(self)

    @property
    def accuracy(self) -> float | None:
        """Share of equal answers; None for none."""
        return (self.both + self.neither) / self.n if self.n else None

    @property
    def true_positive_rate(self) -> float | None:
        """Of what people call yes, the share that the judge does; None where there is none."""
        known = self.both + self.people_only
        return self.both / known if known else None

    @property
    def true_negative_rate(self) -> float | None:
        """Of what people call no, the share that the judge does; None where there is none."""
        known = self.neither + self.judge_only
        return self.neither / known if known else None


class Kappa(NamedTuple):
    """Agreement beyond chance: 1 is perfect, 0 what chance gives."""

    value: float
    low: float
    high: float


class Rate(NamedTuple):
    """A share, with the judge's errors taken out."""

    value: float
    low: float
    high: float


def kappa(table: Confusion, confidence: float = 0.95) -> Kappa | None:
    """Cohen's kappa with an analytic interval; None where it is not defined: no rows, or one answer on both sides.

    The interval is that of large samples, of the table with half a row more in each cell, made to hold the value. With
    them it covered 93 to 100% in simulation (50 to 400 rows; kappa .2 to 1), without them 39 to 95%, and it had no
    width at perfect agreement. Source: Cohen (1960); Fleiss, Cohen and Everitt (1969),
    equation 13, for the error; the halves as in Agresti and Coull (1998).
    """
    if not table.n:
        return None
    expected = _expected(*table)
    if expected >= 1:
        return None
    value = ((table.both + table.neither) / table.n - expected) / (1 - expected)
    centre, error = _kappa_of(*(cell + 0.5 for cell in table))
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    return Kappa(value, max(-1.0, min(value, centre - half)), min(1.0, max(value, centre + half)))


class Swap(NamedTuple):
    """What became of a judge's answers when the two sides of pairs changed places."""

    pairs: int
    kept: int
    """Pairs of which it preferred the same side both times; a tie both times is the same."""
    place: int
    """Pairs of which it preferred the same place both times, the first or the second: which side stood there said
    nothing."""
    share: float
    low: float
    high: float
    """95% interval of the share that it kept, by Wilson."""


def swap_consistency(kept: int, place: int, pairs: int) -> Swap | None:
    """See `Swap`; None for no pairs."""
    if not pairs:
        return None
    low, high = wilson(kept, pairs)
    return Swap(pairs, kept, place, kept / pairs, low, high)


def corrected_rate(positive: int, n: int, table: Confusion, confidence: float = 0.95) -> Rate | None:
    """The true share of yes, where the judge said yes of `positive` of `n` and errs as `table` shows.

    None where it can't be estimated: the judge's answers say nothing (the rates at which it is right of yes and of no
    sum to 1 or less), or people called nothing yes, or nothing no. The interval carries the uncertainty of both rates,
    and ends at 0 and 1; where they may well sum to 1, it is from 0 to 1. Holds while the judge errs on what it is asked
    as it does on what people labelled. Source: Rogan and Gladen (1978); Lang and Reiczigel (2014), Confidence limits
    for prevalence of disease adjusted for estimated sensitivity and specificity, for the interval.
    """
    yes, no = table.both + table.people_only, table.neither + table.judge_only
    if not (n and yes and no):
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    informed = table.both / yes + table.neither / no - 1
    if informed <= 0:
        return None
    value = (positive / n + table.neither / no - 1) / informed

    size = n + z * z
    share = (positive + z * z / 2) / size
    right_yes, right_no = (table.both + 1) / (yes + 2), (table.neither + 1) / (no + 2)
    slope = right_yes + right_no - 1
    of_yes, of_no = right_yes * (1 - right_yes) / (yes + 2), right_no * (1 - right_no) / (no + 2)
    clipped = min(1.0, max(0.0, value))
    if slope <= z * sqrt(of_yes + of_no):
        return Rate(clipped, 0.0, 1.0)
    centre = (share + right_no - 1) / slope
    shift = 2 * z * z * (centre * of_yes - (1 - centre) * of_no)
    half = z * sqrt(share * (1 - share) / size + centre**2 * of_yes + (1 - centre) ** 2 * of_no) / slope
    low, high = (min(1.0, max(0.0, centre + shift + side * half)) for side in (-1, 1))
    return Rate(clipped, min(low, clipped), max(high, clipped))


def better_p(wins: int, losses: int) -> float:
    """The chance of so many wins or more among wins and losses if either were as likely: an exact sign test, one-sided.

    1 for none. Of right-or-wrong pairs it is McNemar's. Source: McNemar (1947), in its exact form.
    """
    trials = wins + losses
    return sum(comb(trials, each) for each in range(wins, trials + 1)) / 2**trials


def accuracy_interval(table: Confusion) -> Interval | None:
    """95% interval of the accuracy, by Wilson; None for no rows."""
    return wilson(table.both + table.neither, table.n) if table.n else None


def _expected(both: float, judge_only: float, people_only: float, neither: float) -> float:
    n = both + judge_only + people_only + neither
    yes = (both + judge_only) * (both + people_only)
    return (yes + (neither + people_only) * (neither + judge_only)) / (n * n)


def _kappa_of(both: float, judge_only: float, people_only: float, neither: float) -> tuple[float, float]:
    """Kappa and its standard error."""
    n = both + judge_only + people_only + neither
    agreed, expected = (both + neither) / n, _expected(both, judge_only, people_only, neither)
    value = (agreed - expected) / (1 - expected)
    judge, people = (both + judge_only) / n, (both + people_only) / n
    on = (both / n) * (1 - (judge + people) * (1 - value)) ** 2
    on += (neither / n) * (1 - (2 - judge - people) * (1 - value)) ** 2
    off = (1 - value) ** 2 * (
        (judge_only / n) * (people + 1 - judge) ** 2 + (people_only / n) * (judge + 1 - people) ** 2
    )
    spread = on + off - (value - expected * (1 - value)) ** 2
    return value, sqrt(max(0.0, spread)) / ((1 - expected) * sqrt(n))
