"""The gate that decides between assigning and abstaining: how likely the top class is right, from four signals.

A temperature calibrates only among the known classes; a text that belongs to none needs signals that see how far it
lies from all of them. Source: the comparison in FAILURE_MODES (out-of-scope text mixed in: ECE .085 by temperature,
.014 by a gate).
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # pyright: ignore[reportMissingTypeStubs]

from transforms.taxonomy.centroids import Floats, cosines

SIGNALS: Final = 4
NEIGHBOURS: Final = 3
"""Seeds whose mean cosine says how near the nearest examples are."""


class Gate(NamedTuple):
    """A logistic model on standardised signals (n, 4), and the confidence from which a top class is assigned."""

    centre: Floats
    spread: Floats
    weights: Floats
    bias: float
    threshold: float

    def confidence(self, signals: Floats) -> Floats:
        """Probability (n,) that the top class is right."""
        # A sum by row and not a matrix product, whose order of summation changes with the number of rows.
        scores = ((signals - self.centre) / self.spread * self.weights).sum(axis=1) + self.bias
        return 1 / (1 + np.exp(-scores))


def signals(probabilities: Floats, vectors: Floats, centroids: Floats, examples: Floats) -> Floats:
    """(n, 4): logit of the top probability, its margin, largest cosine to a class centroid, mean cosine to 3 examples.

    From probabilities (n, k), vectors (n, d), centroids (k, d) and the examples (m, d) that were learnt from.
    """
    ordered = np.sort(probabilities, axis=1)
    top = np.clip(ordered[:, -1], 1e-6, 1 - 1e-6)
    margin = ordered[:, -1] - ordered[:, -2]
    nearest = np.sort(cosines(vectors, examples), axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    return np.column_stack([np.log(top / (1 - top)), margin, cosines(vectors, centroids).max(axis=1), nearest])


def fit_gate(signals: Floats, right: NDArray[np.bool_], off_topic: NDArray[np.bool_], precision: float) -> Gate:
    """Fit on signals (n, 4) of rows that the classifier had not seen; the threshold gives the wanted precision on them.

    `right` says where the top class was right, `off_topic` which rows belong to no class. Wrong and off-topic rows
    weigh half of the negatives each, so that a few off-topic seeds still teach the gate what lies outside.
    """
    wrong = ~right & ~off_topic
    negatives = int((~right).sum())
    weights = np.ones(len(right))
    if wrong.any() and off_topic.any():
        weights[wrong] = 0.5 * negatives / wrong.sum()
        weights[off_topic] = 0.5 * negatives / off_topic.sum()
    centre, spread = signals.mean(axis=0), signals.std(axis=0) + 1e-12
    model: Any = LogisticRegression(C=1.0)
    model.fit((signals - centre) / spread, right, sample_weight=weights)
    gate = Gate(centre, spread, np.asarray(model.coef_[0]), float(model.intercept_[0]), 1.0)
    return gate._replace(threshold=_threshold(gate.confidence(signals), right, precision))


def _threshold(confidence: Floats, right: NDArray[np.bool_], precision: float) -> float:
    """The lowest confidence from which on the wanted share of rows is right; above 1 if there is none."""
    order = np.argsort(-confidence, kind="stable")
    precisions = np.cumsum(right[order]) / np.arange(1, len(right) + 1)
    enough = np.flatnonzero(precisions >= precision)
    return float(confidence[order[enough[-1]]]) if len(enough) else float(np.nextafter(1.0, 2.0))
