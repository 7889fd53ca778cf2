from importlib import import_module

import pytest

from stats.wilson import wilson

ORACLE = import_module("scipy.stats")


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (3, 7), (50, 100), (99, 100), (0, 5000)])
def test_it_is_scipys(successes: int, n: int) -> None:
    expected = ORACLE.binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_a_sum_of_partial_scores_lies_between() -> None:
    assert wilson(3, 10).low < wilson(3.5, 10).low < wilson(4, 10).low


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_what_is_no_share_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="not a share"):
        wilson(successes, n)
