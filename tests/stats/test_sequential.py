from math import inf

import numpy as np
import pytest

from stats.arm import Arm
from stats.effect import effect, p_value
from stats.sequential import Look, decide, decisions, decisions_of_many, normal_score
from stats.spending import CAP, bounds


def looks(scores: list[float], units: list[float]) -> list[Look]:
    """One value a unit: the standard error falls as one over the root of units."""
    return [Look(z / n**0.5, 1 / n**0.5, n, n) for z, n in zip(scores, units, strict=True)]


def test_open_then_higher_and_what_has_fallen_stands() -> None:
    found = decisions(looks([2.5, 3.4, 2.0, 1.0], [200, 400, 800, 1000]), 0.05, 1000)
    assert [one.verdict for one in found] == ["open", "higher", "higher", "higher"]
    assert [one.decided for one in found] == [None, 1, 1, 1]
    assert [one.bound for one in found] == pytest.approx(bounds([0.2, 0.4, 0.8, 1.0]))


def test_lower() -> None:
    found = decide(looks([-2.0, -3.5], [300, 600]), 0.05, 1000)
    assert found.verdict == "lower"
    assert found.z == pytest.approx(-3.5)
    assert found.high < 0


def test_none_at_the_planned_end_and_nothing_after_it_changes_that() -> None:
    found = decisions(looks([1.0, 1.9, 5.0], [500, 1010, 1500]), 0.05, 1000)
    assert [(one.verdict, one.decided) for one in found] == [("open", None), ("none", 1), ("none", 1)]
    assert found[2].bound == inf
    assert (found[2].low, found[2].high) == (-inf, inf)


def test_a_day_is_decided_as_if_no_other_followed() -> None:
    many = looks([0.5, 2.9, 2.2, 1.7], [100, 500, 600, 900])
    for days in range(1, 5):
        assert decide(many[:days], 0.05, 900) == pytest.approx(decisions(many, 0.05, 900)[days - 1]) or days < 2
        assert decide(many[:days], 0.05, 900).verdict == decisions(many, 0.05, 900)[days - 1].verdict


def test_few_units_have_the_tail_of_student() -> None:
    control, treatment = Arm.of_units([1.0, 1.1, 0.9]), Arm.of_units([2.0, 2.1, 1.9])
    found = effect(control, treatment)
    look = Look.of(found, control, treatment)
    assert found.difference / found.se > CAP
    assert normal_score(look) < 5
    assert decide([look], 0.05, 60).verdict == "open"
    from_score = float(np.exp(-(normal_score(look) ** 2) / 2))
    assert from_score > p_value(found)  # a normal tail lies below this bound of it


def test_what_is_beyond_all_tails_stays_a_number() -> None:
    assert normal_score(Look(-60.0, 1.0, 1e6, 1e6, 1e6)) == -60
    assert normal_score(Look(-2.0, 1.0, 1e6, 1e6, 1e6)) == pytest.approx(-2.0, abs=1e-4)


def test_units_that_do_not_differ_decide_nothing() -> None:
    still = Look(1.0, 0.0, 6, 6, 4)
    found = decisions([still, *looks([2.0], [600])], 0.05, 1000)
    assert [one.verdict for one in found] == ["open", "open"]
    assert (found[0].low, found[0].high) == (-inf, inf)


def test_no_look_and_no_plan_are_refused() -> None:
    with pytest.raises(ValueError, match="no look"):
        decide([], 0.05, 10)
    with pytest.raises(ValueError, match="above 0"):
        decide([Look(1, 1, 1, 1)], 0.05, 0)
    assert decisions([], 0.05, 10) == []


def test_many_are_decided_as_each_alone() -> None:
    series = [
        looks([2.5, 3.4, 2.0], [200, 400, 800]),
        looks([-1.0, -2.9, 0.3, -2.4, 0.0], [100, 500, 600, 900, 950]),
        [],
        looks([9.0], [50]),
    ]
    plans = [1000.0, 900.0, 10.0, 60.0]
    for one, own, plan in zip(decisions_of_many(series, 0.05, plans), series, plans, strict=True):
        alone = decisions(own, 0.05, plan)
        assert [found.verdict for found in one] == [found.verdict for found in alone]
        assert [found.bound for found in one] == pytest.approx([found.bound for found in alone], abs=1e-6)
    assert decisions_of_many([], 0.05, []) == []


def test_a_clock_of_ones_own() -> None:
    own = looks([1.0, 2.0, 2.0], [300, 600, 900])
    assert decisions(own, 0.05, 1000, [1, 8, 27])[2].bound > decisions(own, 0.05, 1000)[2].bound
