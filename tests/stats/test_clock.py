import numpy as np
import pytest
from numpy.typing import NDArray

from stats.arm import Arm, variance
from stats.clock import clock, covariance_of_looks, measured_clock
from stats.spending import bounds

DAYS = 14
SHARE = np.arange(1, DAYS + 1) / DAYS
UNIT_DAYS = np.cumsum(SHARE) / SHARE.sum()


def grown(kind: str, units: int = 40_000) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """y and d, (DAYS, units): people who come on any of the days and go on to do things, or to convert for good."""
    random = np.random.default_rng(21)
    since = np.arange(DAYS)[:, None] - random.integers(0, DAYS, units)
    if kind == "converts":
        y = (random.geometric(0.2, units) <= since + 1).astype(np.float64)
    else:
        taste = random.gamma(0.7, 1 / 0.7, units) if kind == "differs" else np.ones(units)
        y = np.cumsum(random.poisson(0.5 * taste, (DAYS, units)) * (since >= 0), axis=0).astype(np.float64)
    return np.where(since >= 0, y, 0.0), (since >= 0).astype(np.float64)


def false_positives(covariance: NDArray[np.float64], ticks: NDArray[np.float64]) -> float:
    """How often 40,000 normal paths with that covariance cross."""
    spread = np.sqrt(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(spread, spread))
    scores = np.random.default_rng(22).normal(size=(40_000, DAYS)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    return float((np.abs(scores) > bounds(UNIT_DAYS, clock=ticks)).any(axis=1).mean())


def test_the_clock_of_one_value_a_unit_is_its_units_and_never_runs_back() -> None:
    assert clock([0.1, 0.05], [100, 400]) == pytest.approx([100, 400])
    assert clock([0.1, 0.01], [100, 200]) == pytest.approx([100, 100])


@pytest.mark.parametrize("kind", ["chance", "differs"])
def test_both_clocks_keep_to_alpha_where_people_return(kind: str) -> None:
    y, d = grown(kind)
    covariance = covariance_of_looks(y, d)
    summed, measured = clock(np.sqrt(np.diag(covariance)), d.sum(axis=1)), measured_clock(covariance)
    assert false_positives(covariance, summed) <= 0.053
    assert false_positives(covariance, measured) <= 0.053
    assert bounds(UNIT_DAYS, clock=measured)[-1] <= bounds(UNIT_DAYS, clock=summed)[-1] + 0.01
    if kind == "chance":
        assert false_positives(covariance, np.asarray(SHARE)) > 0.056
        assert false_positives(covariance, np.asarray(1 / np.diag(covariance))) > 0.056


def test_what_goes_against_what_was_there_needs_the_measured_clock() -> None:
    covariance = covariance_of_looks(*grown("converts"))
    assert false_positives(covariance, clock(np.sqrt(np.diag(covariance)), SHARE)) > 0.065
    assert false_positives(covariance, measured_clock(covariance)) <= 0.053


def test_a_tenth_of_the_units_says_the_same() -> None:
    y, d = grown("differs")
    part = measured_clock(covariance_of_looks(y[:, ::10], d[:, ::10]))
    assert bounds(UNIT_DAYS, clock=part)[3:] == pytest.approx(
        bounds(UNIT_DAYS, clock=measured_clock(covariance_of_looks(y, d)))[3:], abs=0.06
    )


def test_the_variance_at_a_look_is_that_of_the_arm() -> None:
    y, d = grown("differs", 500)
    covariance = covariance_of_looks(y, d)
    arm = Arm.of_units(y[-1][d[-1] > 0])
    assert covariance[-1, -1] == pytest.approx(variance(arm) / arm.n * (arm.n - 1) / arm.n)


def test_a_clock_made_for_some_days_goes_on_unchanged() -> None:
    covariance = covariance_of_looks(*grown("converts", 2000))
    assert measured_clock(covariance)[:6] == pytest.approx(measured_clock(covariance[:6, :6]))


def test_looks_before_anybody_came_stand_still() -> None:
    assert measured_clock([[0.0, 0.0], [0.0, 2.0]]).tolist() == [0.0, 1.0]
    y, d = np.array([[0.0, 0.0], [3.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 1.0]])
    assert covariance_of_looks(y, d)[0].tolist() == [0, 0]
