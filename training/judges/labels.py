"""What is known of the samples that a judge learns from: the verdict, and the mode, each where there is one."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ingest.jobs.samples import Sample
from models.errors import TerminalError
from models.specs import TrainingSpec
from training.judges.split import Parts

UNKNOWN = -1
"""The label of a sample of which one head learns nothing."""
FEWEST_PER_MODE = 5
"""A mode with fewer training samples gets no logit: the judge abstains instead of guessing."""


class Labels(NamedTuple):
    """(n,) each; UNKNOWN where a sample says nothing."""

    negative: Tensor
    mode: Tensor

    def rows(self, rows: Sequence[int]) -> "Labels":
        """The same for some of the samples."""
        return Labels(self.negative[list(rows)], self.mode[list(rows)])


def known_modes(samples: Sequence[Sample], parts: Parts) -> list[str]:
    """The modes that the training part shows often enough, sorted."""
    counts = Counter(samples[row].mode_id for row in parts.train)
    return sorted(mode for mode, count in counts.items() if mode is not None and count >= FEWEST_PER_MODE)


def read_labels(samples: Sequence[Sample], modes: Sequence[str]) -> Labels:
    """One label a head and sample."""
    number = {mode: row for row, mode in enumerate(modes)}
    negative = [UNKNOWN if sample.is_negative is None else int(sample.is_negative) for sample in samples]
    mode = [UNKNOWN if sample.mode_id is None else number.get(sample.mode_id, UNKNOWN) for sample in samples]
    return Labels(torch.tensor(negative, dtype=torch.int64), torch.tensor(mode, dtype=torch.int64))


def check_enough(spec: TrainingSpec, labels: Labels, parts: Parts) -> None:
    """TerminalError unless both verdicts are in the training part, and a verdict in each of the others."""
    train, validation, heldout = (labels.negative[list(rows)] for rows in parts)
    both = bool((train == 0).any()) and bool((train == 1).any())
    if not both or not bool((validation != UNKNOWN).any()) or not bool((heldout != UNKNOWN).any()):
        sizes = ", ".join(f"{name} {len(rows)}" for name, rows in zip(parts._fields, parts, strict=True))
        raise TerminalError(
            f"The set {spec.data.sha256} can't train a judge: its parts ({sizes} rows) lack a verdict. "
            "It needs both verdicts from more conversations."
        )
