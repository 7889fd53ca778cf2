import pytest

from stats.boundaries import bounds, drift_for
from stats.course import Course, follow
from stats.paired import Difference

COURSE = Course((100, 200, 300), 0.025, 0.1, drift_for(3, 0.025, 0.9))


def look(value: float, samples: int, se: float = 0.02) -> Difference:
    return Difference(0.5 + value, 0.5, se, 1e6, samples, samples)


def test_between_the_bounds_it_is_open_and_at_the_end_short() -> None:
    looks = [look(0.02, 100), look(0.03, 200), look(0.04, 300)]
    states = [follow(COURSE, looks[: number + 1]).state for number in range(3)]
    assert states == ["open", "open", "short"]


def test_what_was_crossed_stands() -> None:
    shown = [look(0.08, 100), look(-0.08, 200)]
    assert follow(COURSE, shown).state == "shown"
    assert follow(COURSE, shown).last == shown[0]
    assert follow(COURSE, [look(-0.08, 100), look(0.1, 200)]).state == "futile"


def test_the_interval_leaves_nothing_out_that_the_bound_has_not_crossed() -> None:
    for value in (0.03, 0.0499, 0.0503, 0.06):
        found = follow(COURSE, [look(value, 100)])
        assert (found.low > 0) is (found.state == "shown")
        assert found.high - value == pytest.approx(value - found.low)


def test_looks_that_lack_pairs_spend_less_and_the_last_one_all() -> None:
    less = follow(COURSE, [look(0.03, 60)])
    assert less.upper > follow(COURSE, [look(0.03, 100)]).upper
    ended = follow(COURSE, [look(0.03, 90), look(0.03, 180), look(0.03, 280)])
    assert ended.state == "short"
    assert ended.upper == bounds((0.3, 0.6, 280 / 300), 0.025, 0.1, COURSE.drift).upper[-1]


def test_all_samples_at_once_are_the_end() -> None:
    found = follow(COURSE, [look(0.03, 320), look(0.5, 400)])
    assert (found.state, found.last.samples) == ("short", 320)
    assert found.upper == pytest.approx(1.96, abs=1e-3)


def test_a_look_that_adds_nothing_is_none() -> None:
    twice = [look(0.02, 100), look(0.02, 100), look(0.03, 200)]
    assert follow(COURSE, twice) == follow(COURSE, [twice[0], twice[2]])
    assert follow(COURSE, twice).state == "open"


def test_a_margin_is_what_it_may_fall() -> None:
    assert follow(COURSE._replace(margin=0.08), [look(0.0, 100)]).state == "shown"
    assert follow(COURSE._replace(margin=0.08), [look(-0.08, 100)]).state in ("open", "futile")


def test_no_look_is_refused() -> None:
    with pytest.raises(ValueError, match="no look"):
        follow(COURSE, [])
