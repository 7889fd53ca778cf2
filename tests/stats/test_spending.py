from importlib import import_module
from typing import Any

import numpy as np
import pytest

from stats.spending import CAP, bounds, crossing, repeated_interval, spent

ORACLE: Any = import_module("scipy.stats")


@pytest.mark.parametrize(
    ("fractions", "published"),
    [
        ((0.2, 0.4, 0.6, 0.8, 1.0), (4.877, 3.357, 2.680, 2.290, 2.031)),
        ((0.5, 1.0), (2.963, 1.969)),
        ((1.0,), (1.960,)),
    ],
)
def test_published_bounds(fractions: tuple[float, ...], published: tuple[float, ...]) -> None:
    assert bounds(fractions) == pytest.approx(published, abs=6e-4)


def test_what_is_spent_at_uneven_looks_is_what_the_normal_distribution_says() -> None:
    share = np.array([0.31, 0.4, 0.83, 1.0])
    limits, level = bounds(share), spent(share)
    covariance = np.sqrt(np.minimum.outer(share, share) / np.maximum.outer(share, share))
    for looks in range(1, 5):
        law = ORACLE.multivariate_normal(np.zeros(looks), covariance[:looks, :looks], abseps=1e-7, maxpts=2_000_000)
        inside = law.cdf(limits[:looks], lower_limit=-limits[:looks], rng=np.random.default_rng(1))
        assert 1 - inside == pytest.approx(level[looks - 1], abs=2e-6)


def test_all_looks_together_err_with_alpha_and_find_what_they_should() -> None:
    share = np.linspace(1 / 28, 1, 28)
    paths = np.random.default_rng(2).normal(0, np.sqrt(1 / 28), (100_000, 28)).cumsum(axis=1)
    limits = bounds(share)
    assert (np.abs(paths / np.sqrt(share)) > limits).any(axis=1).mean() == pytest.approx(0.05, abs=0.003)
    moved = (paths + 2.5 * share) / np.sqrt(share)
    found = crossing(limits, share, 2.5)
    first = (np.abs(moved) > limits).argmax(axis=1)
    crossed = (np.abs(moved) > limits).any(axis=1)
    up = crossed & (moved[np.arange(len(moved)), first] > 0)
    for look in (10, 20, 27):
        assert found.upper[look] == pytest.approx((up & (first <= look)).mean(), abs=0.006)
    assert found.lower[-1] == pytest.approx((crossed & ~up).mean(), abs=0.001)


def test_no_drift_crosses_each_side_with_half_of_alpha() -> None:
    share = np.array([0.1, 0.35, 0.9, 1.2])
    found = crossing(bounds(share, 0.02), share, 0.0)
    assert found.upper[-1] == pytest.approx(0.01, abs=1e-9)
    assert found.lower == pytest.approx(found.upper)


def test_the_first_look_past_the_plan_spends_the_rest_and_none_comes_after() -> None:
    limits = bounds([0.5, 0.8, 1.3, 1.4])
    assert limits[2] < 2.1
    assert limits[3] == np.inf
    share = np.array([0.5, 0.8, 1.3])
    assert crossing(limits[:3], share, 0).upper[-1] == pytest.approx(0.025, abs=1e-9)


def test_a_day_decides_as_if_no_other_followed() -> None:
    share = np.array([0.05, 0.3, 0.6, 0.8, 1.0])
    assert bounds(share)[:3] == pytest.approx(bounds(share[:3]), abs=1e-7)


def test_many_sequences_are_the_same_as_each_alone() -> None:
    share = np.sort(np.random.default_rng(3).uniform(0.02, 1.1, (260, 6)), axis=1)
    together = bounds(share)
    for row in (0, 255, 256, 259):
        assert together[row] == pytest.approx(bounds(share[row]), abs=1e-7)
    assert bounds(np.zeros((0, 4))).shape == (0, 4)


def test_early_looks_are_capped_and_looks_without_news_spend_nothing() -> None:
    limits = bounds([0.0, 0.01, 0.5, 0.5, 1.0])
    assert limits[:2].tolist() == [CAP, CAP]
    assert limits[3] > 4
    assert limits[4] == pytest.approx(bounds([0.5, 1.0])[1], abs=1e-3)


def test_a_slower_clock_asks_for_more() -> None:
    share = np.linspace(0.1, 1, 10)
    assert (bounds(share, clock=share**3)[1:] >= bounds(share)[1:] - 1e-9).all()
    assert bounds(share, clock=share * 70) == pytest.approx(bounds(share), abs=1e-9)


def test_fractions_that_do_not_increase_have_no_crossing() -> None:
    with pytest.raises(ValueError, match="must increase"):
        crossing([2, 2], [0.5, 0.5], 1.0)


def test_the_repeated_interval_leaves_out_zero_where_z_crosses() -> None:
    assert repeated_interval(2.0, 1.0, 2.5) == (-0.5, 4.5)
