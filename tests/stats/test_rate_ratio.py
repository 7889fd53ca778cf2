from importlib import import_module

import numpy as np
import pytest

from stats.rate_ratio import rate_ratios

ORACLE = import_module("scipy.stats")


@pytest.mark.parametrize(
    ("now", "of_now", "before", "of_before"), [(12, 80, 9, 300), (1, 50, 40, 60), (30, 30, 2, 900)]
)
def test_equal_to_the_exact_binomial_test_given_the_sum(now: int, of_now: int, before: int, of_before: int) -> None:
    ours = rate_ratios([now], [of_now], [before], [of_before])
    exact = ORACLE.binomtest(now, now + before, of_now / (of_now + of_before)).proportion_ci(0.95, method="exact")
    assert [ours.low[0], ours.high[0]] == pytest.approx(
        [end / (1 - end) * of_before / of_now for end in (exact.low, exact.high)]
    )
    assert ours.ratio[0] == pytest.approx(now / of_now / (before / of_before))


def test_none_before_has_no_upper_end_and_none_now_starts_at_zero() -> None:
    found = rate_ratios([6, 0, 0], [40, 40, 40], [0, 6, 0], [100, 100, 100])
    assert np.isinf(found.high[[0, 2]]).all()
    assert found.low[0] > 1
    assert found.low.tolist()[1:] == [0, 0]
    assert found.high[1] < 3
    assert found.p_value[2] == 1


def test_covers_at_least_as_often_as_it_says_and_p_agrees_with_the_interval() -> None:
    rng = np.random.default_rng(5)
    now, before = rng.binomial(70, 0.12, 20_000), rng.binomial(280, 0.12, 20_000)
    found = rate_ratios(now, np.full(20_000, 70), before, np.full(20_000, 280))
    outside = (found.low > 1) | (found.high < 1)
    assert 0.01 < outside.mean() <= 0.05
    assert (outside == (found.p_value < 0.05)).all()


def test_what_is_no_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="counted among"):
        rate_ratios([1], [0], [1], [5])
