"""How numbers, times and measures are said."""

from datetime import UTC, date, datetime, timedelta

import pytest

from dashboards import measure, words
from dashboards.render import shortened

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, ""), (0, "0"), (0.5, "0.500"), (0.0044113, "0.004411"), (12.3456, "12.35"), (1234.5, "1,234"),
     (1e-64,
    "1e-64"),
     (float("nan"), "nan"), (float("inf"), "inf"), (-0.25, "-0.250")],
)  # fmt: skip
def test_a_figure_has_the_digits_that_tell_something(value: float | None, said: str) -> None:
    assert words.figure(value) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, ""), (0, "0 s"), (4.14, "4.1 s"), (59, "59 s"), (119, "119 s"), (120, "2 min"), (7_199, "119 min"),
    (7_200, "2 h"),
     (172_800, "2 days"), (-5, "0 s")],
)  # fmt: skip
def test_a_duration_is_said_in_its_own_unit(seconds: float | None, said: str) -> None:
    assert words.duration(seconds) == said


def test_counts_shares_and_times() -> None:
    assert (words.count(1, "job"), words.count(2_000, "job")) == ("1 job", "2,000 jobs")
    assert words.count(2, "person", "people") == "2 people"
    assert [words.percent(value) for value in (None, 0, 0.0004, 0.061, 1)] == ["", "0.0%", "0.04%", "6.1%", "100.0%"]
    assert words.moment(datetime(2026, 3, 4, 5, 6, tzinfo=UTC)) == "4 Mar 2026, 05:06 UTC"
    assert (words.moment(None), words.day(date(2026, 3, 4))) == ("never", "4 Mar 2026")
    assert words.ago(NOON - timedelta(minutes=3), NOON) == "3 min ago"
    assert [words.listed(list(letters)) for letters in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


def test_a_share_differs_in_points_with_two_digits_of_its_uncertainty() -> None:
    row = {"unit_label": "share", "interval_low": 0.004, "interval_high": 0.020}
    assert measure.estimate(0.612, row) == "61.2%"
    assert measure.effect(0.012, row) == "+1.20 points"
    assert measure.interval(0.004, 0.020, row) == "+0.40 to +2.00"


def test_any_other_metric_differs_in_its_unit() -> None:
    row = {"unit_label": "ms", "interval_low": -40.0, "interval_high": 10.0}
    assert measure.estimate(2_400, row) == "2,400 ms"
    assert measure.effect(-15.04, row) == "-15 ms"
    assert measure.interval(-40.0, 10.0, row) == "-40 to +10"
    assert (measure.effect(None, row), measure.interval(None, 1, row)) == ("", "")


def test_a_text_is_shortened_between_what_readers_see_as_letters() -> None:
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    assert shortened(f"ab{family}cd", 4) == f"ab{family}\N{HORIZONTAL ELLIPSIS}"
    assert (shortened(None), shortened("abc", 3)) == ("", "abc")
