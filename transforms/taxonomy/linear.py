"""Two linear readings of a text: which one class it shows (logistic), and of each class whether it shows it (ridge).

The penalised solutions lie in the span of the rows, so that they are found there: with 800 rows a fit takes a fraction
of a second, however many n-grams there are. With thousands of rows the n-grams' span is cut to its main axes. Source:
Hastie and Tibshirani, Efficient quadratic regularization for expression arrays (2004), section 3; for the cut Halko,
Martinsson and Tropp, Finding structure with randomness (2011), section 5.1.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # pyright: ignore[reportMissingTypeStubs]
from sklearn.utils import extmath  # pyright: ignore[reportMissingTypeStubs]
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from transforms.taxonomy.centroids import Floats, fixed_product
from transforms.taxonomy.features import Sparse

INVERSE_PENALTY: Final = 10.0
RIDGE: Final = 1.0
WHOLE_SPAN: Final = 1_500
"""Rows up to which nothing is cut: beyond, an eigendecomposition takes longer than all the rest."""
AXES: Final = 256
"""Of the n-grams that are kept beyond."""

_extmath: Any = extmath


class Span(NamedTuple):
    """Rows (n, r) that stand for vectors and n-grams, and the ways back: (d, r) and (g, r)."""

    rows: Floats
    to_vectors: Floats
    to_grams: Floats


class Linear(NamedTuple):
    """Scores are `vectors @ on_vectors + grams @ on_grams + bias`: weights (d, 2k) and (g, 2k), bias (2k,).

    The first k columns are logits of a softmax, the last k are near 1 for a class that is shown, near 0 otherwise.
    """

    on_vectors: Floats
    on_grams: Floats
    bias: Floats

    def scores(self, vectors: Floats, on_grams: Floats) -> Floats:
        """(n, 2k) for vectors (n, d) and what their n-grams add (n, 2k). A row's do not depend on the other rows."""
        return fixed_product(vectors, self.on_vectors) + on_grams.round(6) + self.bias


def span(vectors: Floats, grams: Sparse) -> Span:
    """The span of vectors (n, d) beside n-grams (n, g)."""
    with threadpool_limits(1):  # more threads sum in another order
        if len(vectors) > WHOLE_SPAN:
            _, _, axes = _extmath.randomized_svd(grams, AXES, n_iter=3, random_state=7)
            reduced = np.asarray(grams @ axes.T)
            d, r = vectors.shape[1], len(axes)
            to_vectors, to_grams = np.eye(d, d + r), np.hstack([np.zeros((grams.shape[1], d)), axes.T])
            return Span(np.hstack([vectors, reduced]), to_vectors, to_grams)
        values, axes = np.linalg.eigh(vectors @ vectors.T + (grams @ grams.T).toarray())
        kept = values > 1e-9 * values[-1]
        lengths = np.sqrt(values[kept])
        by_row = axes[:, kept] / lengths
        return Span(axes[:, kept] * lengths, vectors.T @ by_row, np.asarray(grams.T @ by_row))


def fit_softmax(rows: Floats, classes: NDArray[np.int64]) -> Floats:
    """Weights (r + 1, k), the last row the bias, on rows (n, r) with a class 0..k-1 each, k >= 3.

    Rarer classes weigh more.
    """
    with threadpool_limits(1):
        model: Any = LogisticRegression(C=INVERSE_PENALTY, max_iter=2_000, class_weight="balanced")
        model.fit(rows, classes)
        return np.vstack([model.coef_.T, model.intercept_]).astype(np.float64)


def fit_ridge(rows: Floats, shown: Floats) -> Floats:
    """Weights (r + 1, k), the last row the bias, on rows (n, r) and what each shows (n, k), 1 or 0."""
    with threadpool_limits(1):
        wide = np.hstack([rows, np.ones((len(rows), 1))])
        found: Any = np.linalg.solve(wide.T @ wide + RIDGE * np.eye(wide.shape[1]), wide.T @ shown)
        return found


def back(of: Span, weights: Floats) -> Linear:
    """What was learnt on rows of a span (r + 1, 2k), on vectors and n-grams themselves."""
    return Linear(of.to_vectors @ weights[:-1], of.to_grams @ weights[:-1], weights[-1])
