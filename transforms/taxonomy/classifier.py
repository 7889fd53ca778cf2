"""Assign texts to the failure modes that they show, or abstain.

A softmax on vectors and n-grams says which mode is the clearest, a ridge regression beside it says of each mode
whether it shows; gates make calibrated confidences of both. All is fitted on seeds and labels, never on the corpus, so
that an assignment does not change as feedback grows. What gates learn from are predictions on parts that were left out.

Seeds and labels name one mode a text. What a text with two looks like is learnt from left-out texts put together by
twos: one after the other as words, the sum of both as a vector.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans  # pyright: ignore[reportMissingTypeStubs]
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from models.errors import FlywheelError
from stats.calibration import fit_temperature, softmax
from text.normal_form import normal_form
from transforms.taxonomy.card import Card, make_card
from transforms.taxonomy.centroids import Floats, fixed_product, unit
from transforms.taxonomy.examples import OTHER
from transforms.taxonomy.features import Grams
from transforms.taxonomy.gate import Gate, fit_gate, logit, mean_cosine_to_nearest, threshold
from transforms.taxonomy.linear import Linear, Span, back, fit_ridge, fit_softmax, span

PRAISE: Final = "praise"
"""Assigned like a mode, but not a failure. OTHER is never assigned: a text whose top is that one is abstained on."""
PRECISION: Final = 0.9
FURTHER_PRECISION: Final = 0.6
"""Of modes beyond the first, on left-out texts that were put together by twos: at that of the first hardly any would be
named."""
MODES_AT_MOST: Final = 3
"""Of one text."""
FOLDS: Final = 5
ROWS_ENOUGH: Final = 2_000
"""Predictions that gates learn from: the cross-validation is repeated, 3 times at most, until there are as many, as a
threshold from few moves with how the folds fall."""
REPEATS: Final = 3
AT_ONCE: Final = 16_384
"""Rows that are scored together: memory, nothing else."""

Classes = NDArray[np.int64]


class Expected(NamedTuple):
    """What the texts to come are assumed to be; a share that is another moves calibration and precision."""

    off_topic: float = 0.2
    """Share that shows none of the modes, where there are examples of such (`other`)."""
    two_modes: float = 0.2
    """Share of the rest that shows two."""


class Assignments(NamedTuple):
    """Columns of n rows. `mode_id` is None where abstained; `top_mode` is what it would have been, or `other`.

    `best_mode` is the likeliest but `other`, `confidence` the probability that the text shows it, `margin` the lead of
    its probability over the next class's: below 0 where that is `other`. `further` are modes that it shows beside,
    each with its own confidence, the clearest first; none where abstained.
    """

    mode_id: list[str | None]
    top_mode: list[str]
    best_mode: list[str]
    confidence: Floats
    margin: Floats
    abstained: NDArray[np.bool_]
    further: list[tuple[tuple[str, float], ...]]


class _Seen(NamedTuple):
    """What gates go by, of n texts by k classes."""

    probabilities: Floats
    shown: Floats
    best: Classes
    """(n,): the likeliest class but `other`."""
    signals: Floats
    """(n, 6): log odds of the best, its margin, largest cosine, mean cosine to 3 examples, largest logit, log odds of
    `other`."""

    def take(self, rows: NDArray[np.int64]) -> "_Seen":
        """Some of the texts."""
        probabilities, shown, best, signals = self
        return _Seen(probabilities[rows], shown[rows], best[rows], signals[rows])

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


def _together(parts: list[_Seen]) -> _Seen:
    return _Seen(
        np.vstack([part.probabilities for part in parts]),
        np.vstack([part.shown for part in parts]),
        np.concatenate([part.best for part in parts]),
        np.vstack([part.signals for part in parts]),
    )


class _Known(NamedTuple):
    """What vectors are compared with."""

    centroids: Floats
    examples: list[Floats]
    other: int
    """Place of `other` among the classes, -1 where there is none."""

    def see(self, scores: Floats, vectors: Floats, temperature: float) -> _Seen:
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
        return _Seen(probabilities, shown, best, signals)


class SeededClassifier:
    """What `fit` makes."""

    def __init__(
        self,
        modes: Sequence[str],
        grams: Grams,
        linear: Linear,
        known: _Known,
        *,
        temperature: float,
        gate: Gate,
        further_gate: Gate,
        card: Card,
    ) -> None:
        self.modes = tuple(modes)
        self.temperature = temperature
        self.threshold = gate.threshold
        self.further_threshold = further_gate.threshold
        self.card = card
        self._grams = grams
        self._linear = linear
        self._known = known
        self._gate = gate
        self._further_gate = further_gate

    def assign(self, texts: Sequence[str], vectors: NDArray[np.floating]) -> Assignments:
        """Modes of n texts with their vectors (n, d). A row's answer does not depend on the other rows."""
        return self.assign_forms([normal_form(text) for text in texts], vectors)

    def assign_forms(self, forms: Sequence[str], vectors: NDArray[np.floating]) -> Assignments:
        """`assign` for texts that are in normal form."""
        all_of = Assignments([], [], [], np.zeros(len(forms)), np.zeros(len(forms)), np.zeros(len(forms), np.bool_), [])
        on_grams = self._grams.scores(forms, self._linear.on_grams)
        for start in range(0, len(forms), AT_ONCE):
            rows = slice(start, min(start + AT_ONCE, len(forms)))
            part = self._assign(unit(vectors[rows]), on_grams[rows])
            all_of.mode_id.extend(part.mode_id)
            all_of.top_mode.extend(part.top_mode)
            all_of.best_mode.extend(part.best_mode)
            all_of.further.extend(part.further)
            all_of.confidence[rows], all_of.margin[rows] = part.confidence, part.margin
            all_of.abstained[rows] = part.abstained
        return all_of

    def _assign(self, vectors: Floats, on_grams: Floats) -> Assignments:
        seen = self._known.see(self._linear.scores(vectors, on_grams), vectors, self.temperature)
        confidence = self._gate.confidence(seen.signals)
        top = seen.probabilities.argmax(axis=1)
        abstained = (confidence < self.threshold) | (top == self._known.other)
        names = np.array([*self.modes, None], dtype=object)
        mode_id: list[str | None] = names[np.where(abstained, -1, seen.best)].tolist()
        top_mode: list[str] = names[top].tolist()
        best_mode: list[str] = names[seen.best].tolist()
        further = self._further(seen, ~abstained)
        return Assignments(mode_id, top_mode, best_mode, confidence, seen.signals[:, 1].round(6), abstained, further)

    def _further(self, seen: _Seen, asked: NDArray[np.bool_]) -> list[tuple[tuple[str, float], ...]]:
        found: list[tuple[tuple[str, float], ...]] = [()] * len(asked)
        given = _given(seen, self._known.other)
        rows = np.flatnonzero(asked)
        for _ in range(min(MODES_AT_MOST, len(self.modes) - 1) - 1):
            part = seen.take(rows)
            place, signals = part.further(given[rows])
            confidence = self._further_gate.confidence(signals)
            passing = confidence >= self.further_threshold
            rows, place, confidence = rows[passing], place[passing], confidence[passing]
            given[rows, place] = True
            for row, mode, sure in zip(rows.tolist(), place.tolist(), confidence.tolist(), strict=True):
                found[row] = (*found[row], (self.modes[mode], sure))
        return found


def fit(
    texts: Sequence[str],
    modes: Sequence[str],
    vectors: NDArray[np.floating],
    seed: int = 7,
    *,
    precision: float = PRECISION,
    further_precision: float = FURTHER_PRECISION,
    expected: Expected | None = None,
) -> SeededClassifier:
    """Learn from n texts, their mode ids and vectors (n, d), in whatever order they come.

    Every mode needs 5 examples or more, since what the gates learn from are predictions on parts that were left out;
    raises FlywheelError otherwise.
    """
    expected = expected or Expected()
    order = sorted(range(len(texts)), key=lambda row: (modes[row], texts[row]))
    forms = [normal_form(texts[row]) for row in order]
    names = sorted(set(modes))
    classes = np.array([names.index(modes[row]) for row in order], dtype=np.int64)
    _enough(names, classes)
    learnt = _Examples(
        forms,
        unit(vectors)[order],
        classes,
        names.index(OTHER) if OTHER in names else -1,
    )
    grams = Grams(forms)
    of = span(learnt.vectors, grams.rows(forms))
    repeats = min(REPEATS, -(-ROWS_ENOUGH // len(forms)))
    pairs = expected.two_modes > 0
    left_out = [_leave_out(learnt, grams, of, [seed, repeat], pairs=pairs) for repeat in range(repeats)]
    singles = _stack([part.singles for part in left_out])
    temperature = fit_temperature(singles.scores[:, : len(names)], singles.truth[:, 0])
    seen = singles.see(temperature)
    two = _stack([part.twos for part in left_out])
    seen_two = two.see(temperature)

    asked = np.concatenate([seen.probabilities.argmax(axis=1), seen_two.probabilities.argmax(axis=1)]) != learnt.other
    right = np.concatenate([_is_in(seen.best, singles.truth), _is_in(seen_two.best, two.truth)])
    expected_as = _expected(singles, len(two.truth), learnt.other, expected)
    signals = np.vstack([seen.signals, seen_two.signals])
    gate = fit_gate(signals, right, expected_as, 1.0)
    # Among the texts that the gate is asked about: whose top is `other` is abstained on either way.
    sure = gate.confidence(signals)
    off = np.arange(len(right)) < len(seen.best)
    off[: len(seen.best)] = singles.truth[:, 0] == learnt.other
    # Whose top is `other` is abstained on without asking the gate, as if it were not sure at all.
    sure = np.where(asked, sure, -1.0)
    gate = gate._replace(threshold=threshold(sure, right & asked, expected_as, precision, off))

    both = _together([seen, seen_two])
    place, further = both.further(_given(both, learnt.other))
    passing = asked & (sure >= gate.threshold)
    passing = passing if passing.any() else asked
    truth = np.vstack([singles.truth, two.truth])
    further_gate = fit_gate(further[passing], _is_in(place, truth)[passing], expected_as[passing], further_precision)

    rows, shown = left_out[0].shown
    linear = back(of, np.hstack([fit_softmax(of.rows, learnt.classes), fit_ridge(rows, shown)]))
    card = make_card(
        names,
        truth=singles.truth[:, 0],
        best=seen.best,
        signals=seen.signals,
        asked=seen.probabilities.argmax(axis=1) != learnt.other,
        weights=expected_as[: len(seen.best)],
        parts=singles.part,
        gate=gate,
        wanted_precision=precision,
        other=learnt.other,
        folds=FOLDS,
        rows=len(forms),
    )
    return SeededClassifier(
        names,
        grams,
        linear,
        _known(learnt, np.ones(len(forms), dtype=np.bool_)),
        temperature=temperature,
        gate=gate,
        further_gate=further_gate,
        card=card,
    )


class _Examples(NamedTuple):
    """What is learnt from, in order."""

    forms: list[str]
    vectors: Floats
    classes: Classes
    other: int


class _Texts(NamedTuple):
    """Texts unseen by a model: its scores (n, 2k), and what they show (n, 2): twice the same where it is one."""

    scores: Floats
    vectors: Floats
    truth: Classes
    part: Classes
    """(n,): by which model, as a place in `models`."""
    models: list[_Known]

    def see(self, temperature: float) -> _Seen:
        parts = [np.flatnonzero(self.part == place) for place in range(len(self.models))]
        seen = [
            model.see(self.scores[rows], self.vectors[rows], temperature)
            for model, rows in zip(self.models, parts, strict=True)
        ]
        return _together(seen).take(np.argsort(np.concatenate(parts), kind="stable"))


class _LeftOut(NamedTuple):
    singles: _Texts
    twos: _Texts
    shown: tuple[Floats, Floats]
    """Rows of all of them (n, r), and the classes that each shows (n, k)."""


def _leave_out(learnt: _Examples, grams: Grams, of: Span, seed: Sequence[int], *, pairs: bool) -> _LeftOut:
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
    models: list[_Known] = []
    for number in range(FOLDS):
        kept, out = of_fold != number, of_fold == number
        single = kept[:n]
        softmax_weights = fit_softmax(of.rows[single], learnt.classes[single])
        weights = np.hstack([softmax_weights, fit_ridge(rows[kept], shown[kept])])
        scores[out] = rows[out] @ weights[:-1] + weights[-1]
        models.append(_known(learnt, single))
    return _LeftOut(
        _Texts(scores[:n], learnt.vectors, np.column_stack([alone, alone]), fold, models),
        _Texts(scores[n:], vectors, together, fold[first], models),
        (rows, shown),
    )


def _stack(texts: list[_Texts]) -> _Texts:
    return _Texts(
        np.vstack([part.scores for part in texts]),
        np.vstack([part.vectors for part in texts]),
        np.vstack([part.truth for part in texts]),
        np.concatenate([part.part + place * FOLDS for place, part in enumerate(texts)]),
        [model for part in texts for model in part.models],
    )


def _folds(learnt: _Examples, randomness: np.random.Generator) -> Classes:
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


def _twos(learnt: _Examples, fold: Classes, randomness: np.random.Generator) -> tuple[Classes, Classes]:
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


def _known(learnt: _Examples, kept: NDArray[np.bool_]) -> _Known:
    examples = [learnt.vectors[kept & (learnt.classes == place)] for place in range(int(learnt.classes.max()) + 1)]
    return _Known(unit(np.vstack([of_class.mean(axis=0) for of_class in examples])), examples, learnt.other)


def _given(seen: _Seen, other: int) -> NDArray[np.bool_]:
    """(n, k): the best class, and `other`, which is no further mode."""
    given = np.zeros(seen.probabilities.shape, dtype=np.bool_)
    given[np.arange(len(given)), seen.best] = True
    if other >= 0:
        given[:, other] = True
    return given


def _is_in(place: Classes, truth: Classes) -> NDArray[np.bool_]:
    return (truth == place[:, None]).any(axis=1)


def _expected(singles: _Texts, twos: int, other: int, expected: Expected) -> Floats:
    """(n + twos,) weights by which left-out texts stand for the texts to come."""
    off = singles.truth[:, 0] == other
    off_topic = expected.off_topic if off.any() else 0.0
    two_modes = expected.two_modes if twos else 0.0
    of_single = np.where(
        off, off_topic / max(int(off.sum()), 1), (1 - off_topic) * (1 - two_modes) / max(int((~off).sum()), 1)
    )
    return np.concatenate([of_single, np.full(twos, (1 - off_topic) * two_modes / max(twos, 1))])


def _enough(modes: Sequence[str], classes: Classes) -> None:
    for place, mode in enumerate(modes):
        count = int((classes == place).sum())
        if count < FOLDS:
            raise FlywheelError(f"Failure mode {mode!r} has {count} seed examples; it needs {FOLDS} or more.")
