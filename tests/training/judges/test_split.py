from collections import defaultdict

from ingest.jobs.samples import Sample
from tests.training.sentences import sentences
from training.judges.split import part_of, split


def test_a_conversation_is_never_in_two_parts() -> None:
    samples = sentences(2000)
    parts: dict[str | None, set[str]] = defaultdict(set)
    for sample in samples:
        parts[sample.conversation_id].add(part_of(sample))
    assert all(len(found) == 1 for found in parts.values())
    sizes = [len(rows) for rows in split(samples)]
    assert sum(sizes) <= len(samples)
    assert 0.65 < sizes[0] / len(samples) < 0.75
    assert min(sizes) > 200


def test_the_part_does_not_depend_on_the_other_samples() -> None:
    samples = sentences(100)
    assert [part_of(sample) for sample in samples[:10]] == [part_of(sample) for sample in sentences(10)]
    assert part_of(Sample("x")) == part_of(Sample("x", conversation_id="x"))


def test_a_text_that_training_knows_is_not_held_out() -> None:
    samples = [Sample(f"s{number}", text="Thanks!" if number % 2 else "THANKS! ") for number in range(200)]
    train, validation, heldout = split(samples)
    assert len(train) > 100
    assert validation == heldout == ()
