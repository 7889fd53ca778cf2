"""How well a score ranks: the area under the ROC curve."""

import numpy as np
from numpy.typing import NDArray


def auc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float | None:
    """The chance that a positive scores above a negative, a tie counting half; None where one class is missing.

    Both (n,). Source: Hanley and McNeil (1982), by the rank sum of Mann and Whitney (1947) with mean ranks for ties.
    """
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if positives == 0 or negatives == 0:
        return None
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    mean_rank = last - (sizes - 1) / 2
    rank_sum = float(mean_rank[group][positive].sum())
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)
