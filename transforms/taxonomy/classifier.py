"""Assign texts to the failure modes that they show, or abstain: the classifier as fitted.

It answers for each text alone. Leaves out how it is fitted (`fit`).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from text.normal_form import normal_form
from transforms.taxonomy.card import Card
from transforms.taxonomy.centroids import Floats, unit
from transforms.taxonomy.features import Grams
from transforms.taxonomy.gate import Gate
from transforms.taxonomy.linear import Linear
from transforms.taxonomy.seen import Known, Seen, given_of

PRAISE: Final = "praise"
"""Assigned like a mode, but not a failure. OTHER is never assigned: a text whose top is that one is abstained on."""
MODES_AT_MOST: Final = 3
"""Of one text."""
AT_ONCE: Final = 16_384
"""Rows that are scored together: memory, nothing else."""


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


class SeededClassifier:
    """What `fit` makes."""

    def __init__(
        self,
        modes: Sequence[str],
        grams: Grams,
        linear: Linear,
        known: Known,
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

    def weights(self) -> dict[str, Floats]:
        """All that was fitted, as numbers: words and the vectors of examples are not among them."""
        gates = {"gate": self._gate, "further_gate": self._further_gate}
        return {
            "on_vectors": self._linear.on_vectors,
            "on_grams": self._linear.on_grams,
            "bias": self._linear.bias,
            "centroids": self._known.centroids,
            "temperature": np.array([self.temperature]),
            **{
                name: np.concatenate([gate.centre, gate.spread, gate.weights, [gate.bias, gate.threshold]])
                for name, gate in gates.items()
            },
        }

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

    def _further(self, seen: Seen, asked: NDArray[np.bool_]) -> list[tuple[tuple[str, float], ...]]:
        found: list[tuple[tuple[str, float], ...]] = [()] * len(asked)
        given = given_of(seen, self._known.other)
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
