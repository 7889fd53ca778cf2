"""What is learnt from seeds and labels."""

from datetime import UTC, datetime

import polars as pl

from text.normal_form import text_hash
from transforms.taxonomy.examples import Examples, as_rows, gather

SEEDS = pl.DataFrame([("slow", f"too slow {n}") for n in range(5)], schema=["mode_id", "text"], orient="row")


def gathered(*labels: tuple[str, str | None, str, bool]) -> Examples:
    schema = {"text_hash": pl.String, "mode_id": pl.String, "text": pl.String, "is_disputed": pl.Boolean}
    return gather(SEEDS, pl.DataFrame(list(labels), schema=schema, orient="row"))


def test_without_labels_the_seeds_are_learnt() -> None:
    assert gathered() == Examples([f"too slow {n}" for n in range(5)], ["slow"] * 5, 0, {})


def test_a_label_teaches_like_a_seed_and_before_one() -> None:
    found = gathered(("a", "slow", "waited for ever", False), ("b", "slow", "too slow 3", False))
    assert sorted(found.texts) == [
        "too slow 0",
        "too slow 1",
        "too slow 2",
        "too slow 3",
        "too slow 4",
        "waited for ever",
    ]
    assert found.labels == 2
    assert found.said == {"a": ("slow",), "b": ("slow",)}


def test_two_modes_are_an_answer_and_no_example() -> None:
    found = gathered(("a", "slow", "slow and wrong", False), ("a", "wrong", "slow and wrong", False))
    assert found.said == {"a": ("slow", "wrong")}
    assert "slow and wrong" not in found.texts


def test_what_persons_dispute_is_neither() -> None:
    found = gathered(("a", "slow", "hm", True), ("a", "wrong", "hm", True))
    assert found.said == {}
    assert found.labels == 0


def test_a_mode_with_few_examples_is_not_learnt_yet() -> None:
    found = gathered(("a", "new", "smells", False), ("b", None, "hello", False))
    assert found.said == {"a": ("new",), "b": ()}
    assert set(found.modes) == {"slow"}
    enough = gathered(*[(str(n), None, f"hello {n}", False) for n in range(5)])
    assert enough.modes.count("other") == 5


def test_rows_are_what_is_gathered_each_under_a_key_of_its_own() -> None:
    when = datetime(2026, 11, 3, tzinfo=UTC)
    seeds = pl.DataFrame(
        [("slow", f"seed {n}", f"app|{n}", n > 0) for n in range(6)] + [("rude", "too few", "x", True)],
        schema=["mode_id", "text", "example_key", "is_built_in"], orient="row",
    )  # fmt: skip
    labels = pl.DataFrame(
        [("h0", "slow", "seed 5", False, "app|9", when), ("h1", "slow", "like seed 0", False, "app|0", when),
         ("h2", "slow", "disputed", True, "app|8", when)],
        schema=["text_hash", "mode_id", "text", "is_disputed", "event_key", "labelled_at"], orient="row",
    )  # fmt: skip
    rows, examples = as_rows(seeds, labels), gather(seeds, labels)
    assert rows.select("text", "mode_id").rows() == list(zip(examples.texts, examples.modes, strict=True))
    assert rows["example_key"].n_unique() == rows.height == 7
    found = {text: rest for text, *rest in rows.select("text", "example_key", "is_built_in", "labelled_at").rows()}
    assert found["seed 5"] == ["app|9", False, when], "the label's, not the seed's"
    assert found["like seed 0"] == ["app|0", False, when]
    assert found["seed 1"] == ["app|1", True, None]
    assert found["seed 0"] == [f"flywheel/examples|{text_hash('seed 0')}", False, None]
