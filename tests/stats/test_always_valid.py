from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np
import pytest

from stats.always_valid import half_width, p_value, rho
from stats.arm import Arm
from stats.effect import effect

GBSTATS: Any = import_module("gbstats.frequentist.tests")
STATISTICS: Any = import_module("gbstats.models.statistics")


def test_known_answers() -> None:
    assert rho(0.05, 5000) == pytest.approx(0.0398401, abs=1e-7)
    assert half_width(20_000, 1e-4, rho(0.05, 5000)) == pytest.approx(0.03127114, abs=1e-8)


@pytest.mark.parametrize("n_star", [1000, 5000, 60_000])
def test_it_is_gbstats(n_star: float) -> None:
    random = np.random.default_rng(9)
    arms = [Arm.of_units(random.normal(mean, 2, 1500)) for mean in (1.0, 1.2)]
    theirs = [STATISTICS.SampleMeanStatistic(1500, arm.y, arm.yy) for arm in arms]
    config = GBSTATS.SequentialConfig(difference_type="absolute", sequential_tuning_parameter=n_star)
    exact = GBSTATS.SequentialTwoSidedTTest(*theirs, config).compute_result()
    found, tuned = effect(*arms), rho(0.05, n_star)
    half = half_width(3000, found.se**2, tuned)
    assert (found.difference - half, found.difference + half) == pytest.approx(tuple(exact.ci), abs=1e-9)
    assert p_value(3000, found.difference, found.se**2, tuned) == pytest.approx(exact.p_value, rel=1e-9)


def test_the_p_value_is_alpha_where_the_interval_ends() -> None:
    for alpha in (0.2, 0.01, 1e-6):
        end = half_width(3000, 0.4, 0.03, alpha)
        assert p_value(3000, end, 0.4, 0.03) == pytest.approx(alpha)
        assert p_value(3000, -end, 0.4, 0.03) == pytest.approx(alpha)
    assert p_value(3000, 0.0, 0.4, 0.03) == 1
    assert p_value(3000, 1.0, 0.0, 0.03) == 1


def test_narrowest_near_the_units_it_was_tuned_for() -> None:
    widths = {tuned: half_width(20_000, 1e-4, rho(0.05, tuned)) for tuned in (2_000, 5_000, 20_000, 80_000, 200_000)}
    assert min(widths, key=widths.__getitem__) == 20_000


def test_it_covers_at_all_looks_together() -> None:
    sums = np.random.default_rng(8).normal(0, sqrt(100), (4000, 60)).cumsum(axis=1)  # 100 units a look
    n = np.arange(1, 61) * 100.0
    ends = np.array([half_width(count, 1 / count, rho(0.05, 3000)) for count in n])
    assert (np.abs(sums / n) > ends).any(axis=1).mean() <= 0.05
