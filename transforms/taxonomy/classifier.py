"""Assign texts to the seeded failure modes, or abstain.

Logistic regression on vectors and n-grams, a temperature, then a gate; all of them fitted on seeds and labels,
never on the corpus, so that an assignment does not change as feedback grows. One mode a text: a comment that shows
several gets the clearest.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import FlywheelError
from stats.calibration import fit_temperature, softmax
from transforms.taxonomy.centroids import Floats, unit
from transforms.taxonomy.features import GramCounter, GramWeights, Sparse
from transforms.taxonomy.gate import SIGNALS, Gate, fit_gate, signals
from transforms.taxonomy.linear import Linear, fit_linear

PRAISE: Final = "praise"
"""Assigned like a mode, but not a failure."""
OTHER: Final = "other"
"""Off-topic, or no failure stated: never assigned; a text whose top is this one is abstained on."""

PRECISION: Final = 0.9
FOLDS: Final = 5
REPEATS: Final = 3
"""Of the cross-validation, as the threshold from a single one moves with how the folds fall."""

Counts = tuple[Sparse, Sparse]


class Assignments(NamedTuple):
    """Columns of n rows. `mode_id` is None where abstained; `top_mode` is what it would have been.

    `confidence` is the probability that the top mode is right, `margin` the lead of its probability over the next
    one's.
    """

    mode_id: list[str | None]
    top_mode: list[str]
    confidence: Floats
    margin: Floats
    abstained: NDArray[np.bool_]


class _Model(NamedTuple):
    """What is learnt from a set of examples; a fold of the cross-validation makes one from its part."""

    grams: GramWeights
    linear: Linear
    centroids: Floats
    examples: Floats

    def scores(self, vectors: Floats, counts: Counts) -> Floats:
        return self.linear.scores(vectors, self.grams.weigh(counts))

    def signals(self, probabilities: Floats, vectors: Floats) -> Floats:
        return signals(probabilities, vectors, self.centroids, self.examples)


class SeededClassifier:
    """What `fit` makes."""

    def __init__(
        self, modes: Sequence[str], counter: GramCounter, model: _Model, *, temperature: float, gate: Gate
    ) -> None:
        self.modes = tuple(modes)
        self.temperature = temperature
        self.threshold = gate.threshold
        self._counter = counter
        self._model = model
        self._gate = gate

    def assign(self, texts: Sequence[str], vectors: NDArray[np.floating]) -> Assignments:
        """Modes of n texts with their vectors (n, d). A row's answer does not depend on the other rows."""
        if not texts:
            return Assignments([], [], np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.bool_))
        unit_vectors = unit(vectors)
        scores = self._model.scores(unit_vectors, self._counter.count(texts))
        probabilities = softmax(scores / self.temperature)
        seen = self._model.signals(probabilities, unit_vectors)
        confidence = self._gate.confidence(seen).round(6)
        top = [self.modes[int(place)] for place in probabilities.argmax(axis=1)]
        abstained = (confidence < self.threshold) | np.array([mode == OTHER for mode in top])
        mode_id = [None if silent else mode for mode, silent in zip(top, abstained, strict=True)]
        return Assignments(mode_id, top, confidence, seen[:, 1].round(6), abstained)


def fit(
    seed_texts: Sequence[str],
    seed_modes: Sequence[str],
    seed_vectors: NDArray[np.floating],
    seed: int = 7,
) -> SeededClassifier:
    """Learn from n texts, their mode ids and vectors (n, d), in whatever order they come.

    Every mode needs 5 examples or more, since what the gate learns from are predictions on parts that were left
    out; raises FlywheelError otherwise.
    """
    order = sorted(range(len(seed_texts)), key=lambda row: (seed_modes[row], seed_texts[row]))
    texts = [seed_texts[row] for row in order]
    vectors = unit(seed_vectors)[order]
    modes = sorted(set(seed_modes))
    classes = np.array([modes.index(seed_modes[row]) for row in order], dtype=np.int64)
    _enough(modes, classes)
    counter = GramCounter(texts)
    counts = counter.count(texts)

    left_out = [
        _cross_validate(vectors, counts, classes, np.random.default_rng([seed, repeat])) for repeat in range(REPEATS)
    ]
    truth = np.tile(classes, REPEATS)
    temperature = fit_temperature(np.vstack([part.scores for part in left_out]), truth)
    probabilities = [softmax(part.scores / temperature) for part in left_out]
    seen = np.vstack([part.signals(p, vectors) for part, p in zip(left_out, probabilities, strict=True)])
    top = np.vstack(probabilities).argmax(axis=1)
    other = modes.index(OTHER) if OTHER in modes else -1
    asked = top != other  # the rest is abstained on without asking the gate
    gate = fit_gate(seen[asked], (top == truth)[asked], (truth == other)[asked], PRECISION)

    model = _learn(vectors, counts, classes)
    return SeededClassifier(modes, counter, model, temperature=temperature, gate=gate)


class _LeftOut(NamedTuple):
    """Scores (n, k) of each example by a model that had not seen it, with that model's fold."""

    scores: Floats
    folds: list[tuple[NDArray[np.int64], _Model]]

    def signals(self, probabilities: Floats, vectors: Floats) -> Floats:
        seen = np.empty((len(vectors), SIGNALS))
        for rows, model in self.folds:
            seen[rows] = model.signals(probabilities[rows], vectors[rows])
        return seen


def _cross_validate(
    vectors: Floats, counts: Counts, classes: NDArray[np.int64], randomness: np.random.Generator
) -> _LeftOut:
    fold = _folds(classes, randomness)
    scores = np.empty((len(classes), int(classes.max()) + 1))
    folds: list[tuple[NDArray[np.int64], _Model]] = []
    for number in range(FOLDS):
        kept, rows = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        model = _learn(vectors[kept], _rows(counts, kept), classes[kept])
        scores[rows] = model.scores(vectors[rows], _rows(counts, rows))
        folds.append((rows, model))
    return _LeftOut(scores, folds)


def _folds(classes: NDArray[np.int64], randomness: np.random.Generator) -> NDArray[np.int64]:
    """A fold (n,) for each row, such that every class is spread evenly over all of them."""
    fold = np.empty(len(classes), dtype=np.int64)
    for place in range(int(classes.max()) + 1):
        rows = randomness.permutation(np.flatnonzero(classes == place))
        fold[rows] = (np.arange(len(rows)) + place) % FOLDS
    return fold


def _learn(vectors: Floats, counts: Counts, classes: NDArray[np.int64]) -> _Model:
    weights = GramWeights(counts)
    linear = fit_linear(vectors, weights.weigh(counts), classes)
    centroids = np.vstack([vectors[classes == place].mean(axis=0) for place in range(int(classes.max()) + 1)])
    return _Model(weights, linear, centroids, vectors)


def _rows(counts: Counts, rows: NDArray[np.int64]) -> Counts:
    words, characters = counts
    return words[rows], characters[rows]


def _enough(modes: Sequence[str], classes: NDArray[np.int64]) -> None:
    for place, mode in enumerate(modes):
        count = int((classes == place).sum())
        if count < FOLDS:
            raise FlywheelError(f"Failure mode {mode!r} has {count} seed examples; it needs {FOLDS} or more.")
