"""Ratings and thumbs as people type them."""

import pytest

from ingest.importers.base import Refused
from ingest.importers.ratings import read_number, read_rating
from ingest.importers.votes import is_thumb_name, read_thumb


@pytest.mark.parametrize(
    ("text", "number"),
    [("2,5", 2.5), ("2.5", 2.5), ("0", 0.0), ("-1", -1.0), ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("0,125", 0.125)],
)
def test_numbers(text: str, number: float) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize("text", ["1,234", "two", "1e3", "", "5 of 5", "nan"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(Refused):
        read_number(text)


def test_ratings_with_a_scale() -> None:
    assert read_rating("4/5") == (4.0, None)
    assert read_rating("4 / 5", (1.0, 5.0)) == (4.0, (1.0, 5.0))
    assert read_rating("👍🏽") == (1.0, (0.0, 1.0))
    for text in ("6/5", "great", "!"):
        with pytest.raises(Refused, match=text):
            read_rating(text)
    with pytest.raises(Refused, match="outside its scale"):
        read_rating("9", (1.0, 5.0))


def test_thumbs() -> None:
    thumbs = [
        read_thumb(value) for value in (True, 1, "Thumbs Up", "👍🏿", 0, False, "-1", "thumbs-down", None, "Cleared")
    ]
    assert thumbs == ["up"] * 4 + ["down"] * 4 + ["cleared"] * 2
    assert [read_thumb(value) for value in (0.5, "", "maybe", 2)] == [None] * 4
    assert is_thumb_name("User-Feedback")
    assert not is_thumb_name("helpfulness")
