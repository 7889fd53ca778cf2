"""Texts that count as the same, and cuts that halve nothing."""

import json
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from models.unicode import repair
from text.normal_form import ELLIPSIS, normal_form, preview, text_hash

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def test_case_34_a_lone_surrogate_is_shown_replaced() -> None:
    comment = json.loads('{"id": 1, "comment": "bad \\ud83d"}')["comment"]
    assert preview(comment, 10) == "bad \ufffd"
    assert len(text_hash(comment)) == 32


def test_case_34_preview_keeps_emoji_whole() -> None:
    text = f"broken {FAMILY} again"
    assert preview(text, 9) == f"broken {FAMILY}{ELLIPSIS}"
    assert preview(text, 8) == f"broken {ELLIPSIS}"
    assert preview(text, len("broken ") + 1 + len(" again")) == text


@given(ANY_TEXT, st.integers(1, 12))
def test_case_34_previews_of_any_text_can_be_stored(text: str, graphemes: int) -> None:
    cut = preview(text, graphemes)
    cut.encode()
    assert len(regex.findall(r"\X", cut)) <= graphemes
    assert repair(text)[0].startswith(cut.removesuffix(ELLIPSIS))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Too slow", "  too\u00a0 SLOW\n"),
        ("caf\u00e9", "cafe\u0301"),
        ("STRASSE", "stra\u00dfe"),
        ("a\0b", "a\ud800b"),
        ("", " \t\u2003"),
    ],
)
def test_texts_that_count_as_the_same(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)
    assert text_hash(one) == text_hash(other)


def test_texts_that_stay_different() -> None:
    assert text_hash("resume") != text_hash("r\u00e9sum\u00e9")
    assert text_hash("no") != text_hash("no!")


@given(ANY_TEXT)
def test_normal_form_is_stable_and_storable(text: str) -> None:
    form = normal_form(text)
    form.encode()
    assert "\0" not in form
    assert normal_form(form) == form
    assert unicodedata.is_normalized("NFC", form)


def test_preview_of_nothing() -> None:
    assert preview("", 5) == ""
    with pytest.raises(ValueError, match="0 characters"):
        preview("abc", 0)
