"""The seeds are valid tables, big enough, varied, and of one set of ids."""

import csv
from collections import Counter

from tests.transforms.taxonomy.seeded import FOLDER
from text.normal_form import normal_form
from transforms.taxonomy.classifier import PRAISE
from transforms.taxonomy.examples import OTHER


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def test_modes_are_defined_and_told_apart() -> None:
    modes = rows("failure_modes.csv")
    assert len(modes) == len({mode["mode_id"] for mode in modes}) == len({mode["name"] for mode in modes}) == 13
    assert all(list(mode) == ["mode_id", "name", "parent", "definition", "not_this"] for mode in modes)
    assert all(value.strip() for mode in modes for value in mode.values())


def test_every_mode_has_varied_examples() -> None:
    examples = rows("mode_examples.csv")
    counts = Counter(example["mode_id"] for example in examples)
    assert set(counts) == {mode["mode_id"] for mode in rows("failure_modes.csv")} | {PRAISE, OTHER}
    assert min(counts.values()) >= 30
    assert len({normal_form(example["text"]) for example in examples}) == len(examples)
    for mode in counts:
        words = [len(example["text"].split()) for example in examples if example["mode_id"] == mode]
        assert min(words) <= 4
        assert max(words) >= 40
