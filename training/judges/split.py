"""Which part of a training set a sample belongs to. By conversation, so that no part knows another one's context."""

import hashlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ingest.jobs.samples import Sample
from text.normal_form import normal_form

Part = Literal["train", "validation", "heldout"]
TRAIN, VALIDATION = 70, 85  # percent, cumulated


class Parts(NamedTuple):
    """Row numbers of each part, in the order of the samples."""

    train: tuple[int, ...]
    validation: tuple[int, ...]
    heldout: tuple[int, ...]


def part_of(sample: Sample) -> Part:
    """70/15/15 by the MD5 of the conversation (of the sample, where that is unknown): the same in every set."""
    # Salted: evals and training are told apart by a hash of the conversation too, which must not lean on this one.
    key = f"part|{sample.conversation_id or sample.sample_id}"
    percent = int(hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()[:8], 16) % 100
    return "train" if percent < TRAIN else "validation" if percent < VALIDATION else "heldout"


def split(samples: Sequence[Sample]) -> Parts:
    """The three parts. A text that stands in an earlier part already is left out of the later ones."""
    rows: dict[Part, list[int]] = {"train": [], "validation": [], "heldout": []}
    seen: set[str] = set()
    for part, numbers in rows.items():
        mine = [row for row, sample in enumerate(samples) if part_of(sample) == part]
        forms = {row: normal_form(samples[row].text or "") for row in mine}
        numbers += [row for row in mine if forms[row] not in seen]
        seen.update(forms.values())
    return Parts(*(tuple(numbers) for numbers in rows.values()))
