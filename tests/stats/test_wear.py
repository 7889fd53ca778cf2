"""Widths of intervals after use: known answers, shares that sum to one, and cover against an analyst who adapts."""

import itertools
from math import exp, log

import numpy as np
import pytest

from stats.wear import Uses, effective, interval, is_worn, level, limit, spent, told, uses_left, width


def test_the_first_interval_is_clopper_and_pearsons() -> None:
    assert interval(7, 10) == pytest.approx((0.3475471, 0.9332605), abs=1e-6)
    assert interval(0, 20) == pytest.approx((0.0, 0.1684335), abs=1e-6)
    assert interval(20, 20) == pytest.approx((0.8315665, 1.0), abs=1e-6)


def test_widths_at_200_after_1_10_and_40_uses() -> None:
    of_decisions = [width(200, spent(Uses(decisions=each, better=min(1, each)))) for each in (0, 9, 39)]
    of_looks = [width(200, spent(Uses(looks=each))) for each in (0, 9, 39)]
    assert of_decisions == pytest.approx([0.143, 0.245, 0.292], abs=5e-4)
    assert of_looks == pytest.approx([0.143, 0.499, 0.835], abs=5e-4)


@pytest.mark.parametrize("decisions", [0, 1, 5, 10])
def test_the_shares_of_all_courses_of_decisions_sum_to_one(decisions: int) -> None:
    courses = itertools.product((False, True), repeat=decisions)
    assert sum(exp(-spent(Uses(decisions, sum(course)))) for course in courses) == pytest.approx(1)


def test_a_look_costs_one_of_21_and_what_nobody_wrote_down_a_bit() -> None:
    assert spent(Uses(looks=2)) == pytest.approx(2 * log(21))
    assert len({told(value) for value in np.linspace(0, 1, 1001)}) == 21
    assert spent(Uses(unsaid=3)) == pytest.approx(3 * log(2))
    assert level(0.05, spent(Uses(unsaid=1))) == pytest.approx(0.025)


def test_a_benchmark_wears_out_by_what_it_tells() -> None:
    assert not is_worn(200, Uses(decisions=20, better=1))
    assert is_worn(200, Uses(decisions=40, better=1))
    assert is_worn(200, Uses(looks=3)) and not is_worn(200, Uses(looks=2))
    assert is_worn(200, Uses(), sees=0.1)
    assert uses_left(200, Uses(), looks=True) == 3
    assert uses_left(200, Uses(looks=3), looks=True) == 0
    assert 20 <= uses_left(200, Uses(decisions=1, better=1)) <= 40
    assert limit(200) == pytest.approx(2 * width(200))
    assert width(5) < limit(5) < 1


def test_partial_scores_and_clusters_cost_more() -> None:
    assert interval(100, 200, partial=True).high > interval(100, 200).high
    assert effective([20] * 10) == 10
    assert effective([1] * 200) == 200
    assert effective([100, 1, 1]) < 1.05
    low, high = interval(5.5, 10.7)
    assert low < 5.5 / 10.7 < high


def test_what_makes_no_sense_is_refused() -> None:
    for bad in (lambda: interval(3, 2), lambda: interval(0, 0.5), lambda: spent(Uses(1, 2)), lambda: effective([])):
        with pytest.raises(ValueError):
            bad()


def test_intervals_hold_for_an_analyst_who_chooses_by_answers_and_naive_ones_dont() -> None:
    """Forty looks at coin flips: keep what was told to be above one half, submit its majority."""
    rng = np.random.default_rng(8)
    n, uses, runs = 200, 40, 200
    naive = ours = 0
    for _ in range(runs):
        right = rng.random((uses - 1, n)) < 0.5
        kept = np.array([told(each.mean()) > 0.5 for each in right])
        votes = np.where(kept[:, None], right, ~right).sum(axis=0)
        last = votes > (uses - 1) / 2  # its true mean is one half: each sample's vote says nothing of others
        naive_low, naive_high = interval(last.sum(), n)
        low, high = interval(last.sum(), n, spent(Uses(looks=uses - 1)))
        naive += naive_low <= 0.5 <= naive_high
        ours += low <= 0.5 <= high
    assert naive / runs < 0.5
    assert ours / runs >= 0.95
