"""What n tries at a task say of k tries: pass@k (any of k passes) and pass^k (all of k pass), and their means.

Both without bias from the tries themselves, so that ten tries tell of five without asking again. Tries at one task are
alike in luck: the interval of a mean goes by tasks, or by what tasks share (repositories).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln  # pyright: ignore[reportMissingTypeStubs]

from stats.clustered import Floats, clustered, share_interval


class Passes(NamedTuple):
    """A mean over tasks, from 0 to 1, with its 95% interval."""

    value: float
    low: float
    high: float
    tasks: int
    """Those with at least k tries."""
    too_few: int
    """Those with fewer, which say nothing of k and are left out."""


def pass_at(trials: ArrayLike, passed: ArrayLike, k: int) -> Floats:
    """The chance that at least one of k tries passes, of tasks with `passed` of `trials` (any shape; nan below k).

    1 - C(n - c, k) / C(n, k). Raises ValueError unless 0 <= passed <= trials and k >= 1. Source: Chen et al. (2021),
    Evaluating large language models trained on code, section 2.1.
    """
    n, c = _counts(trials, passed, k)
    return np.where(n < k, np.nan, 1.0 - _drawn(n - c, n, k))


def pass_all(trials: ArrayLike, passed: ArrayLike, k: int) -> Floats:
    """The chance that all of k tries pass: C(c, k) / C(n, k). Otherwise as `pass_at`.

    Source: Yao, Shinn, Razavi and Narasimhan (2024), tau-bench, section 3.
    """
    n, c = _counts(trials, passed, k)
    return np.where(n < k, np.nan, _drawn(c, n, k))


def mean(each: ArrayLike, clusters: Sequence[str] | None = None) -> Passes:
    """The mean of what tasks have (tasks,), nan for none, `clusters` (tasks,) what they share; without, each its own.

    Raises ValueError where no task has any.
    """
    values = np.asarray(each, dtype=np.float64)
    known = np.isfinite(values)
    if not known.any():
        raise ValueError(f"of {len(values)} tasks none has enough tries")
    names = np.arange(len(values)) if clusters is None else np.asarray(clusters)
    found = clustered(values[known], names[known])
    low, high = share_interval(found)
    return Passes(float(found.mean), float(low), float(high), int(known.sum()), int((~known).sum()))


def _counts(trials: ArrayLike, passed: ArrayLike, k: int) -> tuple[Floats, Floats]:
    n, c = np.broadcast_arrays(np.asarray(trials, dtype=np.float64), np.asarray(passed, dtype=np.float64))
    if k < 1 or (c < 0).any() or (c > n).any():
        raise ValueError(f"k = {k}, and at most {float((c - n).max(initial=0)):g} more passed than tried: no counts")
    return n, c


def _drawn(good: Floats, of: Floats, k: int) -> Floats:
    """The chance that k drawn from `of` without putting back are all among `good`."""
    enough = (good >= k) & (of >= k)
    g, n = np.where(enough, good, k), np.where(enough, of, k)
    logs = gammaln(g + 1) - gammaln(g - k + 1) - gammaln(n + 1) + gammaln(n - k + 1)
    return np.where(enough, np.where(g == n, 1.0, np.exp(logs)), 0.0)
