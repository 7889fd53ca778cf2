"""What a classifier is worth, by predictions on parts that were left out: the numbers of its model card.

Confidences are those of a gate that had not seen the part either; the threshold is the one in use.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stats.auc import auc
from stats.calibration import expected_calibration_error
from transforms.taxonomy.centroids import Floats
from transforms.taxonomy.gate import Gate, fit_gate


class ModeScore(NamedTuple):
    """Of one mode, in one cross-validation: how many texts show it, how many were given it, and how many of both."""

    mode_id: str
    support: int
    assigned: int
    correct: int


class Card(NamedTuple):
    """Shares are of the left-out texts, over all repeats of the cross-validation."""

    examples: int
    modes: int
    folds: int
    repeats: int
    accuracy: float
    """Of the likeliest mode, on texts that show one."""
    ece: float
    """Expected calibration error in 10 bins, texts without a mode included."""
    auroc: float | None
    """How well the confidence ranks what is right above what is wrong; None where all is one of them."""
    precision: float | None
    """Of what is assigned, with texts without a mode as often as they are expected; None where nothing is."""
    coverage: float
    """Share of the texts that show a mode which is assigned one."""
    threshold: float
    wanted_precision: float
    by_mode: tuple[ModeScore, ...]


def make_card(
    names: list[str],
    *,
    truth: NDArray[np.int64],
    best: NDArray[np.int64],
    signals: Floats,
    asked: NDArray[np.bool_],
    weights: Floats,
    parts: NDArray[np.int64],
    gate: Gate,
    wanted_precision: float,
    other: int,
    folds: int,
    rows: int,
) -> Card:
    """From n left-out texts: the class of each, the likeliest mode, what the gate sees, whether it is asked, how often
    such a text is expected, and the part that it was left out with (repeat times folds plus fold)."""
    right, has_mode = best == truth, truth != other
    confidence = np.empty(len(truth))
    for fold in range(folds):
        out = parts % folds == fold
        confidence[out] = fit_gate(signals[~out], right[~out], weights[~out], 1.0).confidence(signals[out])
    said = asked & (confidence >= gate.threshold)
    once = parts < folds
    ranked = auc(confidence, right)
    return Card(
        examples=rows,
        modes=len(names) - (other >= 0),
        folds=folds,
        repeats=len(truth) // rows,
        accuracy=_share(right[has_mode]),
        ece=round(expected_calibration_error(confidence, right, weights=weights), 6),
        auroc=None if ranked is None else round(ranked, 6),
        precision=round(float(weights[said & right].sum() / weights[said].sum()), 6) if said.any() else None,
        coverage=_share(said[has_mode]),
        threshold=gate.threshold,
        wanted_precision=wanted_precision,
        by_mode=tuple(
            ModeScore(
                name,
                int((once & (truth == place)).sum()),
                int((once & said & (best == place)).sum()),
                int((once & said & right & (best == place)).sum()),
            )
            for place, name in enumerate(names)
            if place != other
        ),
    )


def _share(which: NDArray[np.bool_]) -> float:
    return round(float(which.mean()), 6) if len(which) else 0.0
