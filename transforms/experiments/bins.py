"""Bins of a quantile's metric: logarithms in steps of 2%, so that a quantile is right to 1% of itself at any scale."""

from math import floor, log

import numpy as np
from numpy.typing import NDArray

STEP = 1.02
NOTHING = -10_000
"""The bin of 0 and below, where there is no logarithm."""


def bin_of(amount: float) -> int:
    """The bin of `amount`: floor(ln(amount) / ln(STEP)). `macros/experiments.sql` says the same in SQL."""
    return floor(log(amount) / log(STEP)) if amount > 0 else NOTHING


def edges(lowest: int, highest: int) -> NDArray[np.float64]:
    """The ends of the bins `lowest` to `highest`: one more than there are bins. Those of NOTHING are 0 and 0."""
    return STEP ** np.arange(lowest, highest + 2, dtype=np.float64)
