import numpy as np
import pytest

from stats.arm import Arm
from stats.effect import effect
from stats.noninferiority import guardrail


def arm(mean: float, n: int, sd: float = 1.0) -> Arm:
    return Arm.of_mean(n, n * mean, n * mean * mean + (n - 1) * sd * sd)


@pytest.mark.parametrize(
    ("treatment", "n", "state"),
    [(10.0, 4000, "holds"), (9.9, 4000, "holds"), (9.5, 4000, "harmed"), (9.9, 20, "open"), (10.5, 20, "holds")],
)
def test_where_it_stands(treatment: float, n: int, state: str) -> None:
    control = arm(10, n)
    assert guardrail(effect(control, arm(treatment, n)), 0.02, higher_is_better=True).state == state
    # The same in a mirror: a latency that rises instead of a rate that falls.
    mirrored = effect(control, arm(20 - treatment, n))
    assert guardrail(mirrored, 0.02, higher_is_better=False).state == state


def test_a_metric_below_zero_has_its_margin_below_it() -> None:
    found = guardrail(effect(arm(-10, 4000), arm(-10.1, 4000)), 0.02, higher_is_better=True)
    assert found.state == "holds"
    assert found.p_worse < 0.05
    assert guardrail(effect(arm(-10, 4000), arm(-10.5, 4000)), 0.02, higher_is_better=True).state == "harmed"


def test_at_the_margin_it_holds_as_rarely_as_it_says() -> None:
    random = np.random.default_rng(6)
    held = 0
    for _ in range(2000):
        control, treatment = random.normal(10, 5, 200), random.normal(8, 5, 200)
        found = effect(Arm.of_units(control), Arm.of_units(treatment))
        held += guardrail(found, 0.2, higher_is_better=True).state == "holds"
    assert 0.03 < held / 2000 < 0.07


def test_units_that_do_not_differ_leave_it_open() -> None:
    same = Arm.of_units(1.0, units=5)
    assert guardrail(effect(same, same), 0.02, higher_is_better=True).state == "open"


def test_a_negative_margin_is_refused() -> None:
    with pytest.raises(ValueError, match="below 0"):
        guardrail(effect(arm(1, 9), arm(1, 9)), -0.1, higher_is_better=True)
