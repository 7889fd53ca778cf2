from math import inf, isnan, log

import numpy as np
import pytest
from scipy.special import expit, logit  # pyright: ignore[reportMissingTypeStubs]

from stats.clustered import Floats
from stats.half_life import half_life


def test_a_line_without_noise_is_found() -> None:
    days = [0.0, 40.0, 100.0, 200.0, 300.0]
    passed = [float(1e6 * expit(-0.5 + 0.01 * day)) for day in days]
    found = half_life(days, passed, [1e6] * 5)
    assert found.state == "rises"
    assert found.crosses == pytest.approx((log(9) + 0.5) / 0.01, rel=1e-6)
    assert found.half_life == pytest.approx(log(2) / 0.01, rel=1e-6)
    assert found.dispersion == pytest.approx(0, abs=1e-6)


def test_two_days_with_two_releases_each_by_hand() -> None:
    """With two days the fitted shares are those of the days, and the line goes through their log odds."""
    found = half_life([0, 0, 10, 10], [52, 48, 79, 81], [100] * 4)
    assert found.state == "not_estimable"  # two days bear no line that could be wrong
    found = half_life([0, 0, 10, 10, 20], [52, 48, 79, 81, 0], [100, 100, 100, 100, 0])
    assert found.releases == 4


def test_the_line_is_the_one_that_no_other_beats() -> None:
    days, passed, trials = np.array([0.0, 1, 2, 5]), np.array([30.0, 45, 44, 70]), np.array([80.0, 90, 70, 80])
    found = half_life(days.tolist(), passed.tolist(), trials.tolist())
    slope = log(2) / found.half_life
    start = float(logit(0.9)) - slope * found.crosses

    def likely(start: float, slope: float) -> float:
        chance = expit(start + slope * days)
        return float((passed * np.log(chance) + (trials - passed) * np.log(1 - chance)).sum())

    best = likely(start, slope)
    for by in (-1e-3, 1e-3):
        assert likely(start + by, slope) < best
        assert likely(start, slope + by) < best


@pytest.mark.parametrize("odd", [0.0, 0.25])
def test_intervals_cover_as_often_as_they_say(odd: float) -> None:
    random, days = np.random.default_rng(5), np.arange(6) * 73.0
    hits = np.zeros(2)
    for _ in range(1500):
        chance: Floats = expit(0.5 + 0.006 * days + odd * random.normal(size=6))
        found = half_life(days.tolist(), random.binomial(300, chance).tolist(), [300] * 6)
        hits += (
            found.low <= (log(9) - 0.5) / 0.006 <= found.high,
            found.half_life_low <= log(2) / 0.006 <= found.half_life_high,
        )
    assert (hits / 1500 > 0.93).all()
    assert (hits / 1500 < 0.975).all()


def test_a_release_that_is_odd_widens_the_interval() -> None:
    calm, odd = (half_life([0, 1, 2, 3, 4], [50, 60, bent, 78, 85], [100] * 5) for bent in (70, 45))
    assert odd.dispersion > 10 * calm.dispersion
    assert odd.half_life_high == inf or odd.half_life_high - odd.half_life_low > calm.half_life_high


@pytest.mark.parametrize(
    ("passed", "state"),
    [
        ([50, 51, 49, 50], "flat"),
        ([90, 70, 45, 20], "falls"),
        ([100, 100, 100, 100], "not_estimable"),
        ([0, 0, 0, 0], "not_estimable"),
        ([0, 0, 100, 100], "not_estimable"),
    ],
)
def test_no_day_is_told_where_none_can_be(passed: list[int], state: str) -> None:
    found = half_life([0, 1, 2, 3], passed, [100] * 4)
    assert found.state == state
    assert (found.low, found.high) == (-inf, inf)
    if state == "not_estimable":
        assert isnan(found.crosses)
    if state == "falls":
        assert found.half_life == inf


def test_a_share_that_is_none_is_refused() -> None:
    for passed, share in (([5, 6, 11], 0.9), ([5, 6, 7], 1.0)):
        with pytest.raises(ValueError, match="more passed than tried"):
            half_life([0, 1, 2], passed, [10] * 3, share)
