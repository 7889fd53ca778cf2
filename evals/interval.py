"""A metric's 95% interval: Wilson's for samples that stand alone, else one that knows of attempts and clusters."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stats.clustered import clustered, share_interval
from stats.wilson import wilson


class Interval(NamedTuple):
    """A mean of scores from 0 to 1, with both ends."""

    value: float
    low: float
    high: float
    method: str


def interval_of(samples: Sequence[tuple[str, Sequence[float]]]) -> Interval | None:
    """Of (cluster, scores of its attempts) for each sample that has a score; None where none has.

    The value is the mean over samples of the mean over their attempts.
    """
    if not samples:
        return None
    names = [name for name, _ in samples]
    means = [math.fsum(scores) / len(scores) for _, scores in samples]
    value = math.fsum(means) / len(means)
    attempts = max(len(scores) for _, scores in samples)
    if attempts == 1 and len(set(names)) == len(names):
        alone = wilson(min(math.fsum(means), len(means)), len(means))
        return Interval(value, alone.low, alone.high, "wilson")
    low, high = share_interval(clustered(np.array(means), names), attempts)
    return Interval(value, float(low), float(high), "clustered")
