"""Colours can be read in both themes, and told apart by people of any colour vision."""

from itertools import combinations

import pytest

from dashboards import palette
from dashboards.palette import GROUNDS, LINES, MARKS, TEXTS, Theme, coloured, contrast

THEMES: tuple[Theme, ...] = ("light", "dark")

# Machado, Oliveira and Fernandes (2009), table 1: full protanopia, deuteranopia and tritanopia, on linear RGB.
SIGHTS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ff0000", "#ff0000") == 1


@pytest.mark.parametrize("theme", THEMES)
def test_texts_have_a_contrast_of_four_and_a_half_and_marks_of_three(theme: Theme) -> None:
    for ground in GROUNDS.values():
        for name, colour in TEXTS.items():
            assert contrast(getattr(colour, theme), getattr(ground, theme)) >= 4.5, name
    for name, colour in MARKS.items():
        assert contrast(getattr(colour, theme), getattr(GROUNDS["page"], theme)) >= 3, name
    # The theme that is chosen: muted words on a line's colour.
    assert contrast(getattr(TEXTS["ink"], theme), getattr(LINES["line"], theme)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", SIGHTS)
def test_the_first_categories_stay_apart_for_every_colour_vision(theme: Theme, sight: str) -> None:
    seen = {name: _seen(getattr(MARKS[name], theme), sight) for name in palette.CATEGORIES[:4]}
    for one, other in combinations(seen, 2):
        distance = sum((a - b) ** 2 for a, b in zip(seen[one], seen[other], strict=True)) ** 0.5
        assert distance > 0.1, (one, other)


def _seen(colour: str, sight: str) -> list[float]:
    """The colour as they see it: linear RGB, 0 to 1."""
    linear = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    ]
    return [sum(weight * channel for weight, channel in zip(row, linear, strict=True)) for row in SIGHTS[sight]]


def test_a_spec_gets_the_colours_of_a_theme_and_what_people_named_stays() -> None:
    spec = {"mark": {"color": "$c1"}, "range": ["$c2", "x"], "data": {"values": [{"name": "$c1"}]}, "domain": ["$c1"]}
    assert coloured(spec, "dark") == {
        "mark": {"color": "#56b4e9"}, "range": ["#ff8b4a", "x"], "data": {"values": [{"name": "$c1"}]},
        "domain": ["$c1"],
    }  # fmt: skip
    assert coloured({"color": "$nothing"}, "light") == {"color": "$nothing"}
    assert palette.css().count("--page:") == 3
