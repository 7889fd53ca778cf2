"""Cosines that do not depend on how many rows are compared at once, and assignment to frozen centroids."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

TAU: Final = 0.6
"""Cosine from which a row belongs to a centroid. Swept on CLINC150 with MiniLM vectors; another model needs another."""

_ROWS: Final = 256
_DECIMALS: Final = 6

Floats = NDArray[np.float64]


class Nearest(NamedTuple):
    """By row (n,): the nearest centroid, -1 where none is near enough, and the cosine to the nearest either way."""

    index: NDArray[np.int64]  # pyright: ignore[reportIncompatibleMethodOverride]
    cosine: Floats


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Each row (n, d) scaled to length 1; a row of zeros stays."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(lengths > 0, lengths, 1.0)


def fixed_product(rows: Floats, columns: Floats) -> Floats:
    """`rows` (n, d) times `columns` (d, k), with a row's result independent of the rows beside it.

    Multiplied in blocks of one shape, because BLAS sums in another order for another shape, and rounded to 6 decimals.
    """
    product = np.empty((len(rows), columns.shape[1]), dtype=np.float64)
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        padded = np.pad(block, ((0, _ROWS - len(block)), (0, 0)))
        product[start : start + _ROWS] = (padded @ columns)[: len(block)]
    return product.round(_DECIMALS)


def cosines(vectors: NDArray[np.floating], others: NDArray[np.floating]) -> Floats:
    """(n, k) cosines of each of `vectors` (n, d) with each of `others` (k, d), which need not have length 1."""
    return fixed_product(unit(vectors), unit(others).T)


def assign_to_centroids(vectors: NDArray[np.floating], centroids: NDArray[np.floating], tau: float = TAU) -> Nearest:
    """The nearest of `centroids` (k, d) to each of `vectors` (n, d), where its cosine is `tau` or more."""
    if len(centroids) == 0:
        return Nearest(np.full(len(vectors), -1, dtype=np.int64), np.zeros(len(vectors)))
    similar = cosines(vectors, centroids)
    nearest = similar.argmax(axis=1)
    cosine = similar[np.arange(len(vectors)), nearest]
    return Nearest(np.where(cosine >= tau, nearest, -1), cosine)
