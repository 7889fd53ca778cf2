from math import inf

import numpy as np
import pytest

from stats.eval_power import Clusters, Parts, Undecidable, detectable, power, samples_for, t_power, variance

USUAL = Parts(0.0, 0.012, 0.25)


def test_two_hundred_tasks_tried_five_times_see_five_points() -> None:
    assert power(USUAL, 0.05, 200, 5, Clusters()) == pytest.approx(0.8, abs=0.02)
    assert detectable(USUAL, 200, 5, Clusters()) == pytest.approx(0.05, abs=0.001)
    assert samples_for(USUAL, 0.05, 5, Clusters()) == pytest.approx(197, abs=2)


def test_the_inverse_of_each_other() -> None:
    clusters = Clusters(5)
    samples = samples_for(USUAL, 0.04, 3, clusters, level=0.001, wanted=0.9)
    assert isinstance(samples, int)
    assert power(USUAL, 0.04, samples, 3, clusters, level=0.001) >= 0.9
    assert power(USUAL, 0.04, samples - 1, 3, clusters, level=0.001) < 0.9
    assert detectable(USUAL, samples, 3, clusters, level=0.001, wanted=0.9) == pytest.approx(0.04, rel=0.01)


def test_as_often_as_comparisons_that_are_drawn() -> None:
    parts, random = Parts(0.004, 0.02, 0.3), np.random.default_rng(1)
    found = (
        0.06
        + random.normal(0, 0.004**0.5, (40_000, 12))
        + random.normal(0, ((0.02 + 0.3 / 4) / 8) ** 0.5, (40_000, 12))
    )
    t = found.mean(axis=1) / (found.std(axis=1, ddof=1) / 12**0.5)
    drawn = float((t > 2.200985).mean())  # Student's t with 11 degrees of freedom, .025 beyond
    assert power(parts, 0.06, 96, 4, Clusters(8)) == pytest.approx(drawn, abs=0.008)


def test_more_attempts_lessen_their_own_part_alone() -> None:
    assert variance(USUAL, 100, 1, 100) == pytest.approx(0.00262)
    assert variance(USUAL, 100, 1_000_000, 100) == pytest.approx(0.00012, rel=1e-2)


def test_few_repositories_are_undecidable_and_it_is_said_how_many_are_enough() -> None:
    parts = Parts(0.004, 0.012, 0.25)
    found = samples_for(parts, 0.05, 5, Clusters(fixed=10), level=0.0025)
    assert isinstance(found, Undecidable)
    assert str(found) == "undecidable with 10 repositories: power 21% at best; 26 would"
    assert found.enough
    assert isinstance(samples_for(parts, 0.05, 5, Clusters(fixed=found.enough), level=0.0025), int)
    assert isinstance(samples_for(parts, 0.05, 5, Clusters(fixed=found.enough - 1), level=0.0025), Undecidable)


def test_one_repository_decides_nothing() -> None:
    found = samples_for(USUAL, 0.05, 5, Clusters(fixed=1))
    assert isinstance(found, Undecidable)
    assert str(found).startswith("undecidable with 1 repository: power 0% at best")
    assert detectable(USUAL, 500, 5, Clusters(fixed=1)) == inf


def test_a_difference_too_small_for_any_number_is_undecidable() -> None:
    found = samples_for(Parts(1.0, 1.0, 1.0), 1e-6, 1, Clusters(2))
    assert isinstance(found, Undecidable)
    assert "no number would" in str(found)


def test_a_drift_beyond_all_quantiles_is_seen() -> None:
    assert t_power(1000.0, 9, 1e-6) == 1.0
    assert t_power(40.0, 9, 1e-4) == pytest.approx(1.0, abs=1e-3)


def test_no_difference_is_never_seen() -> None:
    with pytest.raises(ValueError, match="difference of 0"):
        samples_for(USUAL, 0.0, 5, Clusters())
