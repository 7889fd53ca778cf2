"""Fit the classifier on examples, with gates that learn from predictions on parts that were left out.

A softmax on vectors and n-grams says which mode is the clearest, a ridge regression beside it says of each mode
whether it shows; gates make calibrated confidences of both. All is fitted on seeds and labels, never on the corpus, so
that an assignment does not change as feedback grows.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from models.errors import FlywheelError
from stats.calibration import fit_temperature
from text.normal_form import normal_form
from transforms.taxonomy.card import make_card
from transforms.taxonomy.centroids import Floats, unit
from transforms.taxonomy.classifier import SeededClassifier
from transforms.taxonomy.examples import OTHER
from transforms.taxonomy.features import Grams
from transforms.taxonomy.gate import fit_gate, threshold
from transforms.taxonomy.left_out import FOLDS, Learnt, Unseen, known, leave_out, stack
from transforms.taxonomy.linear import back, fit_ridge, fit_softmax, span
from transforms.taxonomy.seen import Classes, given_of, together

PRECISION: Final = 0.9
FURTHER_PRECISION: Final = 0.6
"""Of modes beyond the first, on left-out texts that were put together by twos: at that of the first hardly any would be
named."""
ROWS_ENOUGH: Final = 2_000
"""Predictions that gates learn from: the cross-validation is repeated, 3 times at most, until there are as many, as a
threshold from few moves with how the folds fall."""
REPEATS: Final = 3
MODES_AT_LEAST: Final = 3
"""Praise and `other` among them: a softmax needs as many."""


class Expected(NamedTuple):
    """What the texts to come are assumed to be; a share that is another moves calibration and precision."""

    off_topic: float = 0.2
    """Share that shows none of the modes, where there are examples of such (`other`)."""
    two_modes: float = 0.2
    """Share of the rest that shows two."""


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

    Raises FlywheelError where there are fewer than 3 modes, or fewer than 5 examples of one, since what the gates learn
    from are predictions on parts that were left out.
    """
    order = sorted(range(len(texts)), key=lambda row: (modes[row], texts[row]))
    forms = [normal_form(texts[row]) for row in order]
    names = sorted(set(modes))
    classes = np.array([names.index(modes[row]) for row in order], dtype=np.int64)
    _enough(names, classes)
    other = names.index(OTHER) if OTHER in names else -1
    learnt = Learnt(forms, unit(vectors)[order], classes, other)
    with threadpool_limits(1):  # more threads sum in another order, and a job's fit is to equal a build's to the bit
        return _fit(
            names,
            learnt,
            expected or Expected(),
            seed=seed,
            precision=precision,
            further_precision=further_precision,
        )


def _fit(
    names: list[str], learnt: Learnt, expected: Expected, *, seed: int, precision: float, further_precision: float
) -> SeededClassifier:
    forms = learnt.forms
    grams = Grams(forms)
    of = span(learnt.vectors, grams.rows(forms))
    repeats = min(REPEATS, -(-ROWS_ENOUGH // len(forms)))
    pairs = expected.two_modes > 0
    left_out = [leave_out(learnt, grams, of, [seed, repeat], pairs=pairs) for repeat in range(repeats)]
    singles = stack([part.singles for part in left_out])
    temperature = fit_temperature(singles.scores[:, : len(names)], singles.truth[:, 0])
    seen = singles.see(temperature)
    two = stack([part.twos for part in left_out])
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

    both = together([seen, seen_two])
    place, further = both.further(given_of(both, learnt.other))
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
        known(learnt, np.ones(len(forms), dtype=np.bool_)),
        temperature=temperature,
        gate=gate,
        further_gate=further_gate,
        card=card,
    )


def _is_in(place: Classes, truth: Classes) -> NDArray[np.bool_]:
    return (truth == place[:, None]).any(axis=1)


def _expected(singles: Unseen, twos: int, other: int, expected: Expected) -> Floats:
    """(n + twos,) weights by which left-out texts stand for the texts to come."""
    off = singles.truth[:, 0] == other
    off_topic = expected.off_topic if off.any() else 0.0
    two_modes = expected.two_modes if twos else 0.0
    of_single = np.where(
        off, off_topic / max(int(off.sum()), 1), (1 - off_topic) * (1 - two_modes) / max(int((~off).sum()), 1)
    )
    return np.concatenate([of_single, np.full(twos, (1 - off_topic) * two_modes / max(twos, 1))])


def _enough(modes: Sequence[str], classes: Classes) -> None:
    if len(modes) < MODES_AT_LEAST:
        raise FlywheelError(
            f"The examples show {len(modes)} modes ({', '.join(modes) or 'none'}); a classifier needs {MODES_AT_LEAST} "
            "or more, praise and other among them."
        )
    for place, mode in enumerate(modes):
        count = int((classes == place).sum())
        if count < FOLDS:
            raise FlywheelError(f"Failure mode {mode!r} has {count} seed examples; it needs {FOLDS} or more.")
