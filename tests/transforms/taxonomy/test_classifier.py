"""The seeded classifier learns, abstains, and answers for each text alone."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.errors import FlywheelError
from tests.transforms.taxonomy.seeded import Seeds
from text.embedding import load_embedder
from text.normal_form import normal_form
from transforms.taxonomy.classifier import SeededClassifier
from transforms.taxonomy.examples import OTHER
from transforms.taxonomy.fit import Expected, fit

CLEAR = {
    "code_correctness": "The function it wrote crashes with an exception because a variable is undefined.",
    "latency_cost": "Much too slow, I waited four minutes for the answer and it cost two dollars.",
    "refusals": "It refuses to write the harmless joke and says it can't help with that.",
    "ui_execution": "The button overlaps the text and the layout breaks on mobile.",
    "praise": "Great answer, works perfectly, thank you!",
    "scope_calibration": "The response lacks depth and could provide more detailed examples.",
    "instruction_following": "The response does not respect the word limit and the format that the user required.",
}


@pytest.fixture(scope="module")
def classifier(seeds: Seeds) -> SeededClassifier:
    return fit(seeds.texts, seeds.modes, seeds.vectors)


def embedded(texts: list[str]) -> NDArray[np.float32]:
    return load_embedder().embed([normal_form(text) for text in texts])


def test_clear_texts_get_their_mode(classifier: SeededClassifier) -> None:
    said = classifier.assign(list(CLEAR.values()), embedded(list(CLEAR.values())))
    assert said.top_mode == list(CLEAR)
    assert sum(mode is not None for mode in said.mode_id) >= len(CLEAR) - 1


def test_off_topic_and_empty_complaints_are_abstained_on(classifier: SeededClassifier) -> None:
    texts = ["bad", "meh", "what is the exchange rate of the yen", "book me a table for two tonight", "", "qwrtz jkl"]
    said = classifier.assign(texts, embedded(texts))
    assert said.mode_id == [None] * len(texts)
    assert said.abstained.all()
    assert said.top_mode[:2] == [OTHER, OTHER]


def test_columns_agree(classifier: SeededClassifier, seeds: Seeds) -> None:
    said = classifier.assign(seeds.texts, seeds.vectors)
    assert [mode is None for mode in said.mode_id] == said.abstained.tolist()
    assert all(mode in (None, top) for mode, top in zip(said.mode_id, said.top_mode, strict=True))
    assert ((said.confidence > 0) & (said.confidence < 1)).all()
    assert (np.abs(said.margin) <= 1).all()
    assert (said.margin[~said.abstained] >= 0).all()
    assert (said.confidence[~said.abstained] >= classifier.threshold).all()


def test_an_answer_does_not_depend_on_the_other_texts(classifier: SeededClassifier, seeds: Seeds) -> None:
    together = classifier.assign(seeds.texts, seeds.vectors)
    for row in (0, 200, 500):
        alone = classifier.assign(seeds.texts[row : row + 1], seeds.vectors[row : row + 1])
        assert alone.mode_id[0] == together.mode_id[row]
        assert alone.confidence[0] == together.confidence[row]
        assert alone.margin[0] == together.margin[row]
    backwards = classifier.assign(seeds.texts[::-1], seeds.vectors[::-1])
    assert (backwards.confidence[::-1] == together.confidence).all()


def test_unseen_seeds_are_assigned_with_the_wanted_precision(seeds: Seeds) -> None:
    rows: list[int] = np.random.default_rng(1).permutation(len(seeds.texts)).tolist()
    known, unseen = rows[:600], rows[600:]
    learnt = fit([seeds.texts[r] for r in known], [seeds.modes[r] for r in known], seeds.vectors[known])
    said = learnt.assign([seeds.texts[r] for r in unseen], seeds.vectors[unseen])
    truth = [seeds.modes[r] for r in unseen]
    right = [mode == true for mode, true in zip(said.mode_id, truth, strict=True) if mode is not None]
    assert len(right) > 0.3 * len(unseen)
    assert np.mean(right) > 0.8
    assert np.mean([top == true for top, true in zip(said.top_mode, truth, strict=True)]) > 0.6


def test_the_order_of_the_seeds_is_no_matter(seeds: Seeds) -> None:
    few = [row for row in range(len(seeds.texts)) if seeds.modes[row] in ("refusals", "latency_cost", "praise", OTHER)]
    mixed: list[int] = np.random.default_rng(5).permutation(few).tolist()
    one, other = (
        fit([seeds.texts[r] for r in rows], [seeds.modes[r] for r in rows], seeds.vectors[rows])
        for rows in (few, mixed)
    )
    assert (
        one.assign(seeds.texts, seeds.vectors).confidence == other.assign(seeds.texts, seeds.vectors).confidence
    ).all()


def test_nothing_to_assign(classifier: SeededClassifier) -> None:
    assert classifier.assign([], np.empty((0, 384))).mode_id == []


def test_a_mode_with_too_few_seeds_is_named(seeds: Seeds) -> None:
    with pytest.raises(FlywheelError, match="'new_mode' has 1 seed example"):
        fit([*seeds.texts, "one"], [*seeds.modes, "new_mode"], np.vstack([seeds.vectors, seeds.vectors[:1]]))


def test_a_comment_with_two_modes_may_get_both(classifier: SeededClassifier) -> None:
    """What the held-out comments with two modes get: few second modes, but nearly all of them right."""
    with (Path(__file__).parent / "two_modes.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    texts = [row["text"] for row in rows]
    said = classifier.assign(texts, embedded(texts))
    truth = [{row["first"], row["second"]} for row in rows]
    assert np.mean([best in both for best, both in zip(said.best_mode, truth, strict=True)]) > 0.8
    further = [(mode, both) for modes, both in zip(said.further, truth, strict=True) for mode, _ in modes]
    assert len(further) >= 2
    assert np.mean([mode in both for mode, both in further]) >= 0.7
    for mode, others, silent in zip(said.mode_id, said.further, said.abstained.tolist(), strict=True):
        names = [mode, *(other for other, _ in others)]
        assert len(set(names)) == len(names) <= 3
        assert OTHER not in names
        assert not (silent and others)
        assert all(sure >= classifier.further_threshold for _, sure in others)


def test_a_card_says_what_left_out_texts_got(classifier: SeededClassifier, seeds: Seeds) -> None:
    card = classifier.card
    assert (card.examples, card.modes, card.folds, card.repeats) == (len(seeds.texts), 14, 5, 3)
    assert 0.65 < card.accuracy < 0.85
    assert card.ece < 0.06
    assert card.precision is not None
    assert card.precision >= 0.85
    assert card.coverage > 0.3
    assert sum(score.support for score in card.by_mode) == sum(mode != OTHER for mode in seeds.modes)
    assert all(score.correct <= min(score.support, score.assigned) for score in card.by_mode)


def test_thousands_of_rows_are_learnt_on_the_main_axes_of_their_ngrams() -> None:
    """A planted vocabulary of 8 classes, as vectors say nothing."""
    draw = np.random.default_rng(8)
    modes = [f"mode{n % 8}" for n in range(1_600)]
    words = [[f"{mode}word{n}" for n in draw.integers(40, size=4)] for mode in modes]
    vectors = draw.normal(size=(1_600, 16)).astype(np.float32)
    classifier = fit([" ".join(each) for each in words], modes, vectors, expected=Expected(two_modes=0))
    assert classifier.card.accuracy > 0.95
    assert classifier.card.repeats == 2
    said = classifier.assign(["mode3word1 mode3word7"], vectors[:1])
    assert said.mode_id == ["mode3"]
