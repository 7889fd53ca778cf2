from math import inf, isnan

import numpy as np
import pytest

from stats.eval_power import Parts
from stats.variance_parts import of_attempts, pooled, rerun_width, split


def drawn(random: np.random.Generator, attempts: int) -> Parts:
    """A comparison of 30 clusters of 6 samples whose parts are .02, .05 and .3."""
    place = np.repeat(np.arange(30), 6)
    true = random.normal(0, 0.02**0.5, 30)[place] + random.normal(0, 0.05**0.5, 180)
    sides = [random.normal(half, 0.15**0.5, (attempts, 180)) for half in (true / 2, -true / 2)]
    noise = [of_attempts(np.full(180, attempts), side.sum(axis=0), (side * side).sum(axis=0)) for side in sides]
    return split(sides[0].mean(axis=0) - sides[1].mean(axis=0), place, noise[0] + noise[1], attempts)


def test_the_parts_that_were_put_in_come_out_on_average() -> None:
    random = np.random.default_rng(1)
    found = pooled([drawn(random, 3) for _ in range(400)])
    assert tuple(found) == pytest.approx((0.02, 0.05, 0.3), rel=0.05)


def test_single_attempts_promise_nothing_of_more() -> None:
    found = drawn(np.random.default_rng(2), 1)
    assert found.attempts == 0
    assert found.samples == pytest.approx(0.35, rel=0.25)


def test_samples_that_are_alone_have_no_part_of_clusters() -> None:
    random = np.random.default_rng(3)
    found = split(random.normal(size=500), np.arange(500), np.full(500, 0.4), 2)
    assert found.clusters == 0
    assert found.samples == pytest.approx(1 - 0.4 / 2, abs=0.15)


def test_what_is_below_zero_by_luck_plans_as_zero() -> None:
    assert pooled([Parts(-0.02, 0.1, 0.2), Parts(0.01, 0.3, 0.4)]) == pytest.approx((0.0, 0.2, 0.3))
    with pytest.raises(ValueError, match="no comparison"):
        pooled([])


def test_one_attempt_has_no_variance() -> None:
    found = of_attempts([1, 4], [1.0, 2.0], [1.0, 2.0])
    assert isnan(float(found[0]))
    assert float(found[1]) == pytest.approx(1 / 3)


def test_two_runs_of_one_checkpoint_differ_by_as_much_as_is_said() -> None:
    random = np.random.default_rng(4)
    chance = random.random(50)
    runs = random.binomial(3, chance, (20_000, 2, 50)).mean(axis=2) / 3
    width = rerun_width(float((chance * (1 - chance)).mean()), 50, 3)
    assert (np.abs(runs[:, 0] - runs[:, 1]) < width).mean() == pytest.approx(0.95, abs=0.01)
    assert rerun_width(None, 3, 1) == pytest.approx(0.8, abs=0.01)
    assert rerun_width(None, 0, 1) == inf


def test_one_cluster_says_nothing_of_how_clusters_differ() -> None:
    with pytest.raises(ValueError, match="3 samples in 1 clusters"):
        split([0.1, 0.2, 0.3], ["r"] * 3, [0.1] * 3, 1)
