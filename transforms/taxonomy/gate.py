"""The gates that decide between assigning and abstaining: how likely a class is right, from a few signals.

A temperature calibrates only among the known classes; a text that belongs to none needs signals that see how far it
lies from all of them. Source: the comparison in FAILURE_MODES (out-of-scope text mixed in: ECE .085 by temperature,
.014 by a gate).
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # pyright: ignore[reportMissingTypeStubs]

from stats.wilson import wilson
from transforms.taxonomy.centroids import Floats, fixed_product

NEIGHBOURS: Final = 3
"""Examples of a class whose mean cosine says how near it is."""


class Gate(NamedTuple):
    """A logistic model on standardised signals (n, s), and the confidence from which a class is assigned."""

    centre: Floats
    spread: Floats
    weights: Floats
    bias: float
    threshold: float

    def confidence(self, signals: Floats) -> Floats:
        """Probability (n,) that the class is right, to 6 decimals."""
        # A sum by row and not a matrix product, whose order of summation changes with the number of rows.
        scores = ((signals - self.centre) / self.spread * self.weights).sum(axis=1) + self.bias
        return (1 / (1 + np.exp(-scores))).round(6)


def logit(probabilities: Floats) -> Floats:
    """Log odds, within those of 1 in a million."""
    clipped = np.clip(probabilities, 1e-6, 1 - 1e-6)
    return np.log(clipped / (1 - clipped))


def mean_cosine_to_nearest(vectors: Floats, classes: NDArray[np.int64], examples: list[Floats]) -> Floats:
    """(n,): mean cosine of unit `vectors` (n, d) to the 3 nearest unit `examples` [k] (m, d) of the class of each."""
    near = np.zeros(len(vectors))
    for place, of_class in enumerate(examples):
        rows = np.flatnonzero(classes == place)
        if len(rows) and len(of_class):
            nearest = min(NEIGHBOURS, len(of_class))
            cosines = fixed_product(vectors[rows], of_class.T)
            # In order, since a mean of the same three in another order may differ in its last digit.
            near[rows] = np.sort(np.partition(cosines, -nearest, axis=1)[:, -nearest:], axis=1).mean(axis=1)
    return near


def fit_gate(signals: Floats, right: NDArray[np.bool_], weights: Floats, precision: float) -> Gate:
    """Fit on signals (n, s) of rows that the classifier had not seen; the threshold gives the wanted precision on them.

    `right` says where the class was right, `weights` (n,) how often such a row is expected. Where all is right or all
    is wrong, the confidence is that everywhere, by the rule of succession.
    """
    weights = weights * (len(weights) / max(weights.sum(), 1e-12))
    centre, spread = signals.mean(axis=0), signals.std(axis=0) + 1e-12
    if right.all() or not right.any():
        share = (right.sum() + 1) / (len(right) + 2)
        gate = Gate(centre, spread, np.zeros(signals.shape[1]), float(np.log(share / (1 - share))), 1.0)
    else:
        model: Any = LogisticRegression(C=1.0)
        model.fit((signals - centre) / spread, right, sample_weight=weights)
        gate = Gate(centre, spread, np.asarray(model.coef_[0]), float(model.intercept_[0]), 1.0)
    return gate._replace(threshold=threshold(gate.confidence(signals), right, weights, precision))


def threshold(
    confidence: Floats,
    right: NDArray[np.bool_],
    weights: Floats,
    precision: float,
    off_topic: NDArray[np.bool_] | None = None,
) -> float:
    """The lowest confidence from which on the wanted share of weight is right; above 1 if there is none.

    Of the rows that are `off_topic` those that pass are taken to be as many as the upper end of their share's 80%
    interval allows: examples of them are few, and what comes is off in other ways.
    """
    off = np.zeros(len(right), dtype=np.bool_) if off_topic is None else off_topic
    order = np.argsort(-confidence, kind="stable")
    good = np.cumsum((weights * right)[order])
    bad = np.cumsum((weights * (~right & ~off))[order])
    if count := int(off.sum()):
        upper = np.array([wilson(passing, count, 0.8).high for passing in range(count + 1)])
        bad += upper[np.cumsum(off[order])] * weights[off].sum()
    precisions = good / np.maximum(good + bad, 1e-12)
    # Only between two confidences: rows of one are assigned together.
    last = np.append(np.diff(confidence[order]) != 0, True)
    enough = np.flatnonzero((precisions >= precision) & last)
    return float(confidence[order[enough[-1]]]) if len(enough) else float(np.nextafter(1.0, 2.0))
