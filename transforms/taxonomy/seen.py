"""What gates go by: what the linear readings, the centroids and the nearest examples say of each text.

Of what they are fitted on nothing is known here: the same is seen of texts to come and of those that were left out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stats.calibration import softmax
from transforms.taxonomy.centroids import Floats, fixed_product
from transforms.taxonomy.gate import logit, mean_cosine_to_nearest

Classes = NDArray[np.int64]


class Seen(NamedTuple):
    """What gates go by, of n texts by k classes."""

    probabilities: Floats
    shown: Floats
    best: Classes
    """(n,): the likeliest class but `other`."""
    signals: Floats
    """(n, 6): log odds of the best, its margin, largest cosine, mean cosine to 3 examples, largest logit, log odds of
    `other`."""

    def take(self, rows: NDArray[np.int64]) -> "Seen":
        """Some of the texts."""
        probabilities, shown, best, signals = self
        return Seen(probabilities[rows], shown[rows], best[rows], signals[rows])

    def further(self, given: NDArray[np.bool_]) -> tuple[Classes, Floats]:
        """The class that shows most of those that are not `given` (n, k), and signals for it (n, 7).

        How much it shows, by how much more than the next, and how much the best does; log odds among the rest and
        among all; those of the best and of `other`.
        """
        rows = np.arange(len(given))
        left = np.where(given, -np.inf, self.shown)
        place = left.argmax(axis=1)
        of_place = self.shown[rows, place]
        left[rows, place] = -np.inf
        after = np.maximum(left.max(axis=1), -1.0)
        rest = np.where(given, 0.0, self.probabilities).sum(axis=1)
        likely = self.probabilities[rows, place]
        return place, np.column_stack(
            [
                of_place,
                of_place - after,
                self.shown[rows, self.best],
                logit(likely / np.maximum(rest, 1e-12)),
                logit(likely),
                self.signals[:, 0],
                self.signals[:, 5],
            ]
        )


def together(parts: list[Seen]) -> Seen:
    """All their texts, in order."""
    return Seen(
        np.vstack([part.probabilities for part in parts]),
        np.vstack([part.shown for part in parts]),
        np.concatenate([part.best for part in parts]),
        np.vstack([part.signals for part in parts]),
    )


class Known(NamedTuple):
    """What vectors are compared with."""

    centroids: Floats
    examples: list[Floats]
    other: int
    """Place of `other` among the classes, -1 where there is none."""

    def see(self, scores: Floats, vectors: Floats, temperature: float) -> Seen:
        """n texts with their scores (n, 2k) and unit vectors (n, d)."""
        k = len(self.centroids)
        logits, shown = scores[:, :k] / temperature, scores[:, k:]
        probabilities = softmax(logits)
        is_mode = np.arange(k) != self.other
        rows = np.arange(len(scores))
        best = np.where(is_mode, logits, -np.inf).argmax(axis=1)
        ordered = np.partition(probabilities, -2, axis=1)
        of_best = probabilities[rows, best]
        next_best = np.where(of_best == ordered[:, -1], ordered[:, -2], ordered[:, -1])
        cosines = fixed_product(vectors, self.centroids.T)
        of_other = probabilities[:, self.other] if self.other >= 0 else np.zeros(len(scores))
        signals = np.column_stack(
            [
                logit(of_best),
                of_best - next_best,
                cosines[:, is_mode].max(axis=1),
                mean_cosine_to_nearest(vectors, best, self.examples),
                logits[rows, best],
                logit(of_other),
            ]
        )
        return Seen(probabilities, shown, best, signals)


def given_of(seen: Seen, other: int) -> NDArray[np.bool_]:
    """(n, k): the best class, and `other`, which is no further mode."""
    given = np.zeros(seen.probabilities.shape, dtype=np.bool_)
    given[np.arange(len(given)), seen.best] = True
    if other >= 0:
        given[:, other] = True
    return given
