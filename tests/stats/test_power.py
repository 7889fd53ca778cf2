import numpy as np
import pytest

from stats.power import days, detectable, inflation, power_at, unit_days, units_per_arm
from stats.spending import bounds


def test_the_textbook_rule_of_sixteen() -> None:
    assert units_per_arm(1.0, 0.1) == 1570  # 2 (1.959964 + .841621)^2 / .01
    assert power_at(1570, 1.0, 0.1) == pytest.approx(0.8, abs=2e-4)
    assert detectable(1570, 1.0) == pytest.approx(0.1, abs=1e-4)


def test_three_arms_share_alpha() -> None:
    assert units_per_arm(1.0, 0.1, arms=3) == units_per_arm(1.0, 0.1, alpha=0.025)
    assert days(1570, 250, arms=3) == 19


@pytest.mark.parametrize("looks", [2, 28])
def test_daily_looks_cost_a_few_units_and_keep_the_power_by_simulation(looks: int) -> None:
    n = units_per_arm(1.0, 0.1, looks=looks)
    assert 1 < n / 1570 < 1.06
    assert n / 1570 == pytest.approx(inflation(looks), abs=1e-3)
    share = np.arange(1, looks + 1) / looks
    steps = np.random.default_rng(looks).normal(0.1 * (n / 2) ** 0.5 / looks, looks**-0.5, (60_000, looks))
    scores = steps.cumsum(axis=1) / np.sqrt(share)
    assert (scores > bounds(share)).any(axis=1).mean() == pytest.approx(0.8, abs=0.006)


def test_the_inverse_of_each_other() -> None:
    for looks in (1, 7):
        n = units_per_arm(0.21, 0.012, power=0.9, looks=looks)
        assert power_at(n, 0.21, -0.012, looks=looks) == pytest.approx(0.9, abs=1e-4)
        assert detectable(n, 0.21, power=0.9, looks=looks) == pytest.approx(0.012, rel=1e-4)


def test_unit_days_add_up_day_by_day() -> None:
    assert unit_days(70, 7) == sum(10 * day for day in range(1, 8))


def test_no_difference_is_never_found() -> None:
    with pytest.raises(ValueError, match="difference of 0"):
        units_per_arm(1.0, 0.0)
