"""Has a judge drifted from the people that it was calibrated on? Looked at after every label, with few false alarms.

Each block of labels begins a bet that the judge is now right less often than its calibration can explain; a judge that
is as right as then makes every bet worth 1 at most on average, so that the chance of an alarm, ever, is bounded. Left
out: a judge that gets better, and which texts it got worse on.

Source: Shafer, Shen, Vereshchagin and Vovk (2011), Test martingales, Bayes factors and p-values, for the bet (Ville's
inequality); a mixture over starting points as in Shin, Ramdas and Rinaldo (2023), E-detectors, with weights that sum to
1 in place of 1 each, so that the chance is bounded over all time.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv  # pyright: ignore[reportMissingTypeStubs]

BLOCK: Final = 20
"""A bet begins after every so many labels."""
WORSE: Final = (0.03, 0.06, 0.1, 0.15, 0.22, 0.3, 0.4)
"""How much less often right a bet takes the judge to be: a share of its capital on each."""


class Drift(NamedTuple):
    """What the labels since calibration say."""

    labels: int
    floor: float
    """The least share right that the calibration allows; below it the judge has drifted."""
    recent: float | None
    """Share right in the last 50 labels; None where there are none since calibration."""
    evidence: float
    """What the bets have come to at most: a judge that has not drifted gets to x with a chance of 1 / x."""
    since: int | None
    """The label, from 1, at which they passed the bar: it has drifted. None: nothing shows that."""


def drift(right: ArrayLike, calibrated_right: int, calibrated: int, alpha: float = 0.05) -> Drift:
    """Follow `right`, (n,) in the order of the labels since calibration, true where judge and person agreed.

    The judge was right of `calibrated_right` of `calibrated` labels at first. At most `alpha` of judges that stay as
    they were are ever called drifted, half of it for the floor (Clopper and Pearson) and half for the bets. Raises
    ValueError for a calibration of none.
    """
    if not 0 <= calibrated_right <= calibrated or calibrated < 1:
        raise ValueError(f"{calibrated_right} of {calibrated} labels")
    answers = np.asarray(right, dtype=np.bool_)
    wrong = calibrated - calibrated_right
    floor = float(betaincinv(calibrated_right, wrong + 1, alpha / 2)) if calibrated_right else 0.0
    evidence = bets(answers, floor)
    passed = np.flatnonzero(evidence >= 2 / alpha)
    return Drift(
        labels=len(answers),
        floor=floor,
        recent=float(answers[-50:].mean()) if len(answers) else None,
        evidence=float(evidence.max(initial=1.0)),
        since=int(passed[0]) + 1 if len(passed) else None,
    )


def bets(right: NDArray[np.bool_], floor: float) -> NDArray[np.float64]:
    """What all bets together are worth after each of (n,) answers, begun with 1, against a share right of `floor`.

    The bet that begins with block j has 1 / (j (j + 1)) of the capital, from j = 1. Its worth is exp(sum of log
    (q / floor)) over right answers and the same of 1 - q over wrong ones, q the share that it takes to be true.
    """
    rates = np.array([floor - worse for worse in WORSE if floor - worse > 0])
    if not len(rates) or not len(right):
        return np.ones(len(right))
    gains = np.where(right[:, None], np.log(rates / floor), np.log((1 - rates) / (1 - floor)))  # (n, q)
    sums = np.vstack([np.zeros(len(rates)), np.cumsum(gains, axis=0)])
    starts = np.arange(0, len(right), BLOCK)
    weights = 1 / ((np.arange(len(starts)) + 1.0) * (np.arange(len(starts)) + 2.0))
    worth = np.full(len(right), 1.0)
    for start, weight in zip(starts.tolist(), weights.tolist(), strict=True):
        worth[start:] += weight * (np.exp(np.minimum(sums[start + 1 :] - sums[start], 500.0)).mean(axis=1) - 1)
    return worth
