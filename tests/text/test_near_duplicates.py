"""Planted near-duplicates are found, other texts are not, and the number of bands follows from the binomial."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.near_duplicates import BANDS, NEAR_DUPLICATE_BANDS, ROWS, band_hashes, jaccard, leaders

SUBJECTS = (
    "the agent",
    "your model",
    "this assistant",
    "the editor",
    "autocomplete",
    "the review bot",
    "the chat panel",
)
VERBS = ("rewrote", "deleted", "ignored", "renamed", "reformatted", "forgot about", "misread", "duplicated")
OBJECTS = (
    "my config file",
    "the failing test",
    "every import",
    "the second question",
    "our style guide",
    "the diagram",
)
ENDINGS = (
    "and I had to restore it by hand from yesterday's backup",
    "although the ticket said in bold letters to leave it alone",
    "which cost the whole team an afternoon before the release",
    "so that the nightly build has been red since Tuesday",
)
COMPLAINTS = [f"{s} {v} {o} {e}" for s in SUBJECTS for v in VERBS for o in OBJECTS for e in ENDINGS]


def planted() -> list[str]:
    chosen = COMPLAINTS[:: len(COMPLAINTS) // 60]
    return [
        changed
        for text in chosen
        for changed in (text.upper(), f"Hi! {text}", text.replace("the", "teh", 1), f"{text} {text.split()[-1]}")
    ]


def equal_bands(one: str, other: str) -> int:
    left, right = band_hashes([one, other])
    return int((left == right).sum())


def share_with(bands: int, similarity: float) -> float:
    """Share of pairs of this Jaccard similarity that have at least so many equal bands."""
    equal = similarity**ROWS
    return sum(math.comb(BANDS, k) * equal**k * (1 - equal) ** (BANDS - k) for k in range(bands, BANDS + 1))


def test_band_count_is_the_binomial_median_at_four_fifths() -> None:
    assert share_with(NEAR_DUPLICATE_BANDS, 0.8) >= 0.5 > share_with(NEAR_DUPLICATE_BANDS + 1, 0.8)
    assert share_with(NEAR_DUPLICATE_BANDS, 0.7) == pytest.approx(0.028, abs=0.001)
    assert share_with(NEAR_DUPLICATE_BANDS, 0.9) == pytest.approx(0.999, abs=0.001)


def test_planted_near_duplicates_are_found() -> None:
    chosen = COMPLAINTS[:: len(COMPLAINTS) // 60]
    changed = planted()
    originals = [text for text in chosen for _ in range(4)]
    near = np.array([jaccard(one, other) >= 0.8 for one, other in zip(originals, changed, strict=True)])
    found = (band_hashes(originals) == band_hashes(changed)).sum(axis=1) >= NEAR_DUPLICATE_BANDS
    assert near.mean() > 0.9
    assert (found & near).sum() / near.sum() > 0.95


def test_unlike_texts_share_few_bands() -> None:
    assert equal_bands("The answer never mentions the price that I asked for.", "Login times out on Android.") <= 2


def test_equal_bands_estimate_jaccard() -> None:
    pairs = list(zip(COMPLAINTS[:-1:3], COMPLAINTS[1::3], strict=False))
    left, right = band_hashes([one for one, _ in pairs]), band_hashes([other for _, other in pairs])
    estimated = (left == right).mean(axis=1)
    expected = np.array([jaccard(one, other) ** ROWS for one, other in pairs])
    assert abs(float((estimated - expected).mean())) < 0.02


def test_texts_of_one_normal_form_share_every_band() -> None:
    assert equal_bands("Too  SLOW today", "too slow today ") == BANDS


def test_short_and_empty_texts() -> None:
    hashes = band_hashes(["", "", "a", "ab"])
    assert hashes.shape == (4, BANDS)
    assert (hashes[0] == hashes[1]).all()
    assert not (hashes[2] == hashes[3]).any()
    assert band_hashes([]).shape == (0, BANDS)
    assert jaccard("", "") == 1.0


def test_hashes_are_the_same_on_every_machine() -> None:
    assert [hex(number) for number in band_hashes(["The same text gives the same numbers."])[0, :2]] == [
        "0xb0ff468ac57f0f64",
        "0xcb2a776ddc12b99e",
    ]


@given(st.lists(st.text(max_size=40), max_size=6))
def test_a_row_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    together = band_hashes([*texts, "x" * 40_000])[:-1]
    alone = np.vstack([band_hashes([text]) for text in texts]) if texts else together
    assert (together == alone).all()


def test_jaccard_counts_grams_once() -> None:
    assert jaccard("abcde", "abcde abcde abcde") == pytest.approx(2 / 6)
    assert jaccard("abcd", "wxyz") == 0.0


def led_one_by_one(bands: np.ndarray) -> list[int]:
    """The definition, word for word."""
    found: list[int] = []
    for row in range(len(bands)):
        alike = [other for other in range(row) if found[other] == other and equal(bands, row, other)]
        found.append(min(alike, default=row))
    return found


def equal(bands: np.ndarray, row: int, other: int) -> bool:
    return int((bands[row] == bands[other]).sum()) >= NEAR_DUPLICATE_BANDS


def test_leaders_are_as_defined_and_stay_whatever_comes_later() -> None:
    chosen = [text for pair in zip(COMPLAINTS[::9], planted(), strict=False) for text in pair][:240]
    bands = band_hashes([*chosen, *(f"Ticket {number} is about a slow build" for number in range(60))])
    found = leaders(bands)
    assert found.tolist() == led_one_by_one(bands)
    assert len(set(found.tolist())) < 250
    for first in (1, 50, 200):
        assert (leaders(bands[:first]) == found[:first]).all()


def test_leaders_of_none_and_of_one() -> None:
    assert leaders(band_hashes([])).tolist() == []
    assert leaders(band_hashes(["", ""])).tolist() == [0, 0]
