"""Multinomial logistic regression for few rows and very many columns.

The penalised solution lies in the span of the rows, so that it is found there: with 800 rows a fit takes a fraction of
a second, however many n-grams there are. Source: Hastie and Tibshirani, Efficient quadratic regularization for
expression arrays (2004), section 3.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # pyright: ignore[reportMissingTypeStubs]
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from transforms.taxonomy.centroids import Floats, fixed_product
from transforms.taxonomy.features import Sparse

INVERSE_PENALTY: Final = 10.0


class Linear(NamedTuple):
    """Scores are `vectors @ on_vectors + grams @ on_grams + bias`: weights (d, k) and (g, k), bias (k,)."""

    on_vectors: Floats
    on_grams: Floats
    bias: Floats

    def scores(self, vectors: Floats, grams: Sparse) -> Floats:
        """(n, k) for vectors (n, d) and n-gram weights (n, g). A row's scores do not depend on the other rows."""
        return fixed_product(vectors, self.on_vectors) + np.asarray(grams @ self.on_grams) + self.bias


def fit_linear(vectors: Floats, grams: Sparse, classes: NDArray[np.int64]) -> Linear:
    """Fit to vectors (n, d), n-gram weights (n, g) and a class 0..k-1 a row, k >= 3; rarer classes weigh more."""
    with threadpool_limits(1):  # more threads sum in another order
        values, axes = np.linalg.eigh(vectors @ vectors.T + (grams @ grams.T).toarray())
        kept = values > 1e-9 * values[-1]
        lengths = np.sqrt(values[kept])
        model: Any = LogisticRegression(C=INVERSE_PENALTY, max_iter=2_000, class_weight="balanced")
        model.fit(axes[:, kept] * lengths, classes)
        by_row = axes[:, kept] / lengths @ model.coef_.T
        return Linear(vectors.T @ by_row, np.asarray(grams.T @ by_row), np.asarray(model.intercept_))
