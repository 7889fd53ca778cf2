from importlib import import_module
from math import log

import numpy as np
import pytest

from stats.arm import Arm
from stats.effect import effect
from stats.novelty import novelty

ORACLE = import_module("scipy.stats")
RANDOM = np.random.default_rng(41)


def test_of_means_it_is_welch_on_what_each_unit_changed() -> None:
    taste = RANDOM.normal(3, 2, 250)
    early, late = taste + RANDOM.normal(0, 1, 250), taste + RANDOM.normal(0.2, 1, 250)
    first, second = slice(0, 120), slice(120, 250)
    found = novelty(Arm.of_units(late[first], p=early[first]), Arm.of_units(late[second], p=early[second]))
    exact = ORACLE.ttest_ind(late[second] - early[second], late[first] - early[first], equal_var=False)
    assert found.p_value == pytest.approx(exact.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(exact.confidence_interval()))
    assert found.late == pytest.approx(effect(Arm.of_units(late[first]), Arm.of_units(late[second])).difference)
    assert found.early == pytest.approx(effect(Arm.of_units(early[first]), Arm.of_units(early[second])).difference)


def ratios(random: np.random.Generator, early_lift: float, late_lift: float) -> Arm:
    habit, taste = random.gamma(3, 1, 400), 0.6 * random.beta(3, 7, 400)
    d, q = random.poisson(habit) + 1, random.poisson(2 * habit) + 1  # half as active later
    y, p = random.binomial(d, taste * (1 + late_lift)), random.binomial(q, taste * (1 + early_lift))
    return Arm.of_units(y, d, p, q)


@pytest.mark.parametrize("relative", [False, True])
def test_a_lasting_effect_is_called_fading_as_rarely_as_alpha(relative: bool) -> None:
    random = np.random.default_rng(42)
    called = [
        novelty(ratios(random, 0, 0), ratios(random, 0.2, 0.2), relative=relative).p_value < 0.05 for _ in range(1000)
    ]
    assert np.mean(called) == pytest.approx(0.05, abs=0.02)


def test_a_fading_effect_is_found() -> None:
    found = novelty(ratios(RANDOM, 0, 0), ratios(RANDOM, 0.6, 0), relative=True)
    assert found.early == pytest.approx(log(1.6), abs=0.15)
    assert found.late == pytest.approx(0, abs=0.15)
    assert found.change < 0
    assert found.p_value < 0.001


def test_people_who_leave_both_arms_are_no_fading_effect() -> None:
    """Everything falls to a third, by nature: the absolute effect with it, the relative one not."""
    early = RANDOM.gamma(4, 1, 4000)
    late = early / 3 * RANDOM.uniform(0.9, 1.1, 4000)
    control, treatment = (
        Arm.of_units(late[:2000], p=early[:2000]),
        Arm.of_units(1.3 * late[2000:], p=1.3 * early[2000:]),
    )
    assert novelty(control, treatment).p_value < 0.001
    assert novelty(control, treatment, relative=True).p_value > 0.001


def test_what_does_not_change_says_nothing() -> None:
    same = Arm.of_units(2.0, p=2.0, units=4)
    found = novelty(same, same)
    assert (found.p_value, found.low, found.high) == (1, -np.inf, np.inf)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="to divide by"):
        novelty(Arm.of_units([1, 2], 1, 1, 0), Arm.of_units([1, 2], 1, 1, 1))
    with pytest.raises(ValueError, match="above 0"):
        novelty(Arm.of_units([-1, -2], p=[1, 2]), Arm.of_units([1, 2], p=[1, 1]), relative=True)
