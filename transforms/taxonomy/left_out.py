"""Cross-validation of the classifier: what models say of texts that they were not fitted on.

A text is seeded or labelled with one mode. What one with two looks like is learnt from left-out texts put together by
twos: one after the other as words, the sum of both as a vector.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans  # pyright: ignore[reportMissingTypeStubs]
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from transforms.taxonomy.centroids import Floats, unit
from transforms.taxonomy.features import Grams
from transforms.taxonomy.linear import Span, fit_ridge, fit_softmax
from transforms.taxonomy.seen import Classes, Known, Seen, together

FOLDS: Final = 5


class Learnt(NamedTuple):
    """What is learnt from, in order."""

    forms: list[str]
    vectors: Floats
    classes: Classes
    other: int


class Unseen(NamedTuple):
    """Texts unseen by a model: its scores (n, 2k), and what they show (n, 2): twice the same where it is one."""

    scores: Floats
    vectors: Floats
    truth: Classes
    part: Classes
    """(n,): by which model, as a place in `models`."""
    models: list[Known]

    def see(self, temperature: float) -> Seen:
        """Each text by the model that it was left out of."""
        parts = [np.flatnonzero(self.part == place) for place in range(len(self.models))]
        seen = [
            model.see(self.scores[rows], self.vectors[rows], temperature)
            for model, rows in zip(self.models, parts, strict=True)
        ]
        return together(seen).take(np.argsort(np.concatenate(parts), kind="stable"))


class LeftOut(NamedTuple):
    """Of one cross-validation: texts of one mode, and of two."""

    singles: Unseen
    twos: Unseen
    shown: tuple[Floats, Floats]
    """Rows of all of them (n, r), and the classes that each shows (n, k)."""


def leave_out(learnt: Learnt, grams: Grams, of: Span, seed: Sequence[int], *, pairs: bool) -> LeftOut:
    """One cross-validation, with texts of two modes if `pairs`."""
    randomness = np.random.default_rng(seed)
    fold = _folds(learnt, randomness)
    first, second = _twos(learnt, fold, randomness) if pairs else (np.zeros(0, dtype=np.int64),) * 2
    vectors = unit(learnt.vectors[first] + learnt.vectors[second])
    forms = [f"{learnt.forms[a]} {learnt.forms[b]}" for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    rows = np.vstack([of.rows, vectors @ of.to_vectors + grams.rows(forms) @ of.to_grams])
    alone, together = learnt.classes, np.column_stack([learnt.classes[first], learnt.classes[second]])
    ones = np.eye(int(learnt.classes.max()) + 1)
    shown = np.vstack([ones[alone], ones[together[:, 0]] + ones[together[:, 1]]])
    n, of_fold = len(fold), np.concatenate([fold, fold[first]])
    scores = np.empty((len(rows), 2 * shown.shape[1]))
    models: list[Known] = []
    for number in range(FOLDS):
        kept, out = of_fold != number, of_fold == number
        single = kept[:n]
        softmax_weights = fit_softmax(of.rows[single], learnt.classes[single])
        weights = np.hstack([softmax_weights, fit_ridge(rows[kept], shown[kept])])
        scores[out] = rows[out] @ weights[:-1] + weights[-1]
        models.append(known(learnt, single))
    return LeftOut(
        Unseen(scores[:n], learnt.vectors, np.column_stack([alone, alone]), fold, models),
        Unseen(scores[n:], vectors, together, fold[first], models),
        (rows, shown),
    )


def stack(texts: list[Unseen]) -> Unseen:
    """Those of several cross-validations as one."""
    return Unseen(
        np.vstack([part.scores for part in texts]),
        np.vstack([part.vectors for part in texts]),
        np.vstack([part.truth for part in texts]),
        np.concatenate([part.part + place * FOLDS for place, part in enumerate(texts)]),
        [model for part in texts for model in part.models],
    )


def _folds(learnt: Learnt, randomness: np.random.Generator) -> Classes:
    """A fold (n,) for each row, such that every class is spread evenly over all of them.

    But what is off-topic is left out by topics, since what comes will be off in other ways than what is known.
    """
    fold = np.empty(len(learnt.classes), dtype=np.int64)
    for place in range(int(learnt.classes.max()) + 1):
        rows: Classes = randomness.permutation(np.flatnonzero(learnt.classes == place))
        if place == learnt.other:
            seeds: list[int] = randomness.integers(2**31, size=1).tolist()
            fold[rows] = _topics(learnt.vectors[rows], seeds[0])
        else:
            fold[rows] = (np.arange(len(rows)) + place) % FOLDS
    return fold


def _topics(vectors: Floats, seed: int) -> Classes:
    topics: Any = KMeans
    with threadpool_limits(1):
        found: Any = topics(FOLDS, n_init=1, random_state=seed).fit_predict(vectors)
        return found


def _twos(learnt: Learnt, fold: Classes, randomness: np.random.Generator) -> tuple[Classes, Classes]:
    """Rows to put together by twos: of one fold and two modes, neither `other`."""
    firsts: list[Classes] = []
    seconds: list[Classes] = []
    for number in range(FOLDS):
        rows = np.flatnonzero((fold == number) & (learnt.classes != learnt.other))
        mixed = randomness.permutation(rows)
        different = learnt.classes[rows] != learnt.classes[mixed]
        firsts.append(rows[different])
        seconds.append(mixed[different])
    return np.concatenate(firsts), np.concatenate(seconds)


def known(learnt: Learnt, kept: NDArray[np.bool_]) -> Known:
    """What the texts that are `kept` (n,) give to compare with."""
    examples = [learnt.vectors[kept & (learnt.classes == place)] for place in range(int(learnt.classes.max()) + 1)]
    return Known(unit(np.vstack([of_class.mean(axis=0) for of_class in examples])), examples, learnt.other)
