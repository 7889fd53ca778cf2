"""A discovery asks whether modes are one, or one is several; it asks nothing where they are what they seem."""

import numpy as np
import pytest
from numpy.typing import NDArray

from models.events.taxonomy import ModeProposed, SplitProposed
from transforms.taxonomy.fold import Taxonomy, seeded_modes
from transforms.taxonomy.proposals import PART_MEMBERS, Texts, merges, split

DIMENSIONS = 32


def mode(mode_id: str, centroid: tuple[float, ...], members: int = 10) -> ModeProposed:
    keys = tuple(f"app|{number}" for number in range(members))
    return ModeProposed(
        id=mode_id, source="t", mode_id=mode_id, discovery_id="d", name=mode_id, terms=(), centroid=centroid,
        cohesion=0.8, embedding="e", member_keys=keys, medoid_key=keys[0],
    )  # fmt: skip


@pytest.fixture
def known() -> Taxonomy:
    return Taxonomy(seeded_modes())


@pytest.mark.parametrize(("cosine", "asked"), [(0.79, []), (0.81, ["old"])])
def test_a_mode_near_another_is_asked_about(known: Taxonomy, cosine: float, asked: list[str]) -> None:
    new = mode("new", (cosine, float(np.sqrt(1 - cosine**2)), 0.0))
    found = merges(known, [new], {"far": (0.0, 0.0, 1.0), "old": (1.0, 0.0, 0.0)}, {})
    assert [(each.mode_id, each.merged, each.closeness) for each in found] == [
        (target, ("new",), cosine) for target in asked
    ]


@pytest.mark.parametrize(
    ("guesses", "asked"),
    [
        (["tool_use"] * 9 + ["refusals"], ["tool_use"]),
        (["tool_use"] * 8 + ["refusals"] * 2, []),
        (["other"] * 10, []),
        (["praise"] * 10, []),
        (["tool_use"] * 8, []),
        ([], []),
    ],
)
def test_a_mode_that_the_classifier_takes_for_another_is_asked_about(
    known: Taxonomy, guesses: list[str], asked: list[str]
) -> None:
    thought = {f"app|{number}": guess for number, guess in enumerate(guesses)}
    assert [each.mode_id for each in merges(known, [mode("new", (1.0, 0.0))], {}, thought)] == asked


def texts(*groups: NDArray[np.float64]) -> Texts:
    """Groups of vectors (n, d), each with words of its own."""
    vectors = np.vstack(groups)
    words = [f"group {place} says {place * 'so '}" for place, group in enumerate(groups) for _ in group]
    count = range(len(vectors))
    forms, events = [f"{words[row]} {row}" for row in count], [[f"app|{row}"] for row in count]
    return Texts([f"hash-{row:03}" for row in count], forms, events, vectors)


def group(direction: int, members: int) -> NDArray[np.float64]:
    """`members` unit vectors (members, 32) about one axis."""
    rows = np.random.default_rng(direction).normal(scale=0.08, size=(members, DIMENSIONS))
    rows[:, direction] += 1
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_mode_of_two_minds_is_asked_about_with_its_parts_and_the_same_ids_again() -> None:
    two = texts(group(0, 20), group(1, 12))
    *parts, asked = split("mode-both", two, "e", "d")
    assert isinstance(asked, SplitProposed)
    assert [len(part.member_keys) for part in parts if isinstance(part, ModeProposed)] == [20, 12]
    assert all(isinstance(part, ModeProposed) and part.part_of == "mode-both" for part in parts)
    assert asked.part_ids == tuple(part.mode_id for part in parts if isinstance(part, ModeProposed))
    assert asked.closeness < 0.3
    backwards = Texts(two.hashes[::-1], two.forms[::-1], two.events[::-1], two.vectors[::-1])
    again = split("mode-both", backwards, "e", "d")[-1]
    assert isinstance(again, SplitProposed)
    assert again.proposal_id == asked.proposal_id


@pytest.mark.parametrize(
    "groups",
    [
        (group(0, 40),),
        (group(0, 20), group(1, PART_MEMBERS - 1)),
        (group(0, PART_MEMBERS - 1), group(1, PART_MEMBERS - 1)),
    ],
    ids=["of one mind", "a few stray ones", "too few"],
)
def test_a_mode_of_one_mind_stays(groups: tuple[NDArray[np.float64], ...]) -> None:
    assert split("mode-one", texts(*groups), "e", "d") == []
