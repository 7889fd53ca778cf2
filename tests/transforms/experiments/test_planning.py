"""Plans: the units that a textbook asks for, and what daily looks add."""

import pytest

from models.errors import TerminalError
from transforms.experiments.planning import Baseline, answer


def test_units_are_those_of_the_textbook_times_what_looks_cost() -> None:
    # One look: 2 (1.959964 + .841621)^2 p (1 - p) / d^2 units an arm.
    one = answer(Baseline(0.3, 0.21, 2000), 0.01, alpha=0.05, power=0.8, arms=2, planned=1)
    expected = 2 * 2 * (1.959964 + 0.841621) ** 2 * 0.21 / 0.01**2
    assert one.units == pytest.approx(expected, abs=2)
    assert one.inflation == pytest.approx(1)
    daily = answer(Baseline(0.3, 0.21, 2000), 0.01, alpha=0.05, power=0.8, arms=2, planned=28)
    assert daily.units == pytest.approx(expected * daily.inflation, rel=1e-3)
    assert 1.02 < daily.inflation < 1.1
    assert daily.days == -(-daily.units // 2000)
    assert list(daily.detectable.values()) == sorted(daily.detectable.values(), reverse=True)


def test_nobody_finds_nothing() -> None:
    with pytest.raises(TerminalError, match="an effect of 0"):
        answer(Baseline(0.3, 0.21, None), 0, alpha=0.05, power=0.8, arms=2, planned=28)
