from importlib import import_module

import numpy as np
import pytest

from stats.srm import sequential_srm, srm

ORACLE = import_module("scipy.stats")


@pytest.mark.parametrize(
    ("counts", "weights", "p"),
    [
        ((1000, 1200), (0.5, 0.5), 2.0079e-5),
        ((135, 115), (1, 1), 0.205903211),
        ((310, 98), (75, 25), 0.647434186),
        ((500, 500, 600), (0.34, 0.33, 0.33), 0.000592638),
        ((0, 10, 10), (0.34, 0.33, 0.33), 0.005790624),
        ((821588, 815482), (0.5, 0.5), 1.8218e-6),
    ],
)
def test_known_answers(counts: tuple[int, ...], weights: tuple[float, ...], p: float) -> None:
    assert srm(counts, weights) == pytest.approx(p, rel=1e-4, abs=1e-9)
    shares = np.array(weights) / sum(weights) * sum(counts)
    assert srm(counts, weights) == pytest.approx(ORACLE.chisquare(counts, shares).pvalue, rel=1e-9)


def test_no_units_are_no_mismatch() -> None:
    assert srm([0, 0], [1, 1]) == 1
    assert sequential_srm([0, 0], [1, 1]) == pytest.approx(1)


def test_looked_at_daily_it_errs_as_rarely_as_it_says() -> None:
    daily = np.random.default_rng(4).multinomial(200, [0.5, 0.3, 0.2], (300, 28)).cumsum(axis=1)
    ever = [min(sequential_srm(day, [5, 3, 2]) for day in days) <= 0.05 for days in daily.tolist()]
    naive = [min(srm(day, [5, 3, 2]) for day in days) <= 0.05 for days in daily.tolist()]
    assert 0 < np.mean(ever) <= 0.05
    assert np.mean(naive) > 0.15


@pytest.mark.parametrize(
    ("counts", "at_most"), [((120, 60), 2e-3), ((5_000, 4_500), 1e-4), ((505_000, 495_000), 1e-10)]
)
def test_a_broken_assignment_is_found_among_few_and_among_many(counts: tuple[int, int], at_most: float) -> None:
    assert sequential_srm(counts, [1, 1]) < at_most


def test_it_is_the_mean_of_likelihood_ratios() -> None:
    """Under the weights the expected ratio is 1, whatever the number of units: summed over all outcomes of six."""
    total = 0.0
    for first in range(7):
        for second in range(7 - first):
            counts = (first, second, 6 - first - second)
            p = ORACLE.multinomial.pmf(counts, 6, [0.5, 0.3, 0.2])
            evidence = 1 / sequential_srm(counts, [5, 3, 2])
            total += p * evidence
    # p is cut at 1, so that ratios below 1 count as 1: the sum is above 1 by what was cut, and no more.
    assert 1 <= total < 1.05


@pytest.mark.parametrize(("counts", "weights"), [((1, 2), (1,)), ((1,), (1,)), ((1, 2), (1, 0)), ((-1, 2), (1, 1))])
def test_what_is_no_split_is_refused(counts: tuple[int, ...], weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="need weights"):
        srm(counts, weights)
