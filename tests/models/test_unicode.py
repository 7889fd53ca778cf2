"""Texts that anything can store: repaired where that is possible, refused where not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.unicode import REPLACEMENT, Unclean, printable, repair, repair_json

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("sound é 😀\x00", ("sound é 😀\x00", False)),
        ("bad \ud83d", ("bad \ufffd", True)),
        ("\ud83d and more", ("\ufffd and more", True)),
        ("\ude00\ud83d", ("\ufffd\ufffd", True)),
        ("\ud83d\ud83d\ude00", ("\ufffd😀", True)),
        ("two halves \ud83d\ude00", ("two halves 😀", False)),
        ("\ufeffbegins \ud83d\ude00 with a mark \ufffd", ("\ufeffbegins 😀 with a mark \ufffd", False)),
    ],
)
def test_case_34_lone_surrogates_are_replaced_and_flagged(text: str, repaired: tuple[str, bool]) -> None:
    assert repair(text) == repaired


@given(ANY_TEXT)
def test_what_is_repaired_can_be_encoded_and_stays(text: str) -> None:
    fixed, flagged = repair(text)
    fixed.encode()
    assert repair(fixed) == (fixed, False)
    assert flagged == (fixed.count(REPLACEMENT) > text.count(REPLACEMENT))
    assert "\x00" not in printable(text)


def test_names_and_values_at_any_depth_are_repaired() -> None:
    content: Any = {"a": [{"b\ud83d": 1}, "x"], "n": None}
    assert repair_json(content) == ({"a": [{"b\ufffd": 1}, "x"], "n": None}, True)
    assert repair_json({"a": [1, "x"]}) == ({"a": [1, "x"]}, False)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"a": {"b": ["x", "y\x00"]}}, "a.b[] holds a NUL character"),
        ({"a": {"b\x00": 1}}, "a name in a holds a NUL character"),
        ({"a\nb\ud83d": "\x00"}, "a b\ufffd holds a NUL character"),
        (json.loads('{"a":' * 900 + "1" + "}" * 900), "nested too deeply"),
    ],
)
def test_what_can_not_be_repaired_is_said_in_one_line(content: Any, reason: str) -> None:
    with pytest.raises(Unclean) as refused:
        repair_json(content)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)
