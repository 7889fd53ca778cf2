"""What is learnt from seeds and labels."""

import polars as pl

from transforms.taxonomy.examples import Examples, gather

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
