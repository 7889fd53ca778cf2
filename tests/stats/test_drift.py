"""A judge's drift is seen, and one that stays is hardly ever called so, though it is looked at after each label."""

from math import comb

import numpy as np
import pytest

from stats.drift import bets, drift


def binomial(right: int, n: int, rate: float) -> float:
    return comb(n, right) * rate**right * (1 - rate) ** (n - right)


def test_the_floor_is_what_calibration_allows() -> None:
    found = drift([], 180, 200, alpha=0.05)
    assert sum(binomial(right, 200, found.floor) for right in range(180, 201)) == pytest.approx(0.025)
    assert (found.labels, found.recent, found.evidence, found.since) == (0, None, 1.0, None)
    assert drift([False] * 10, 0, 5).since is None, "a judge that was never right can't get worse"
    with pytest.raises(ValueError):
        drift([True], 0, 0)


@pytest.mark.parametrize("rate", [0.95, 0.9, 0.7])
def test_few_judges_that_stay_are_called_drifted_in_1000_labels(rate: float) -> None:
    rng = np.random.default_rng(2)
    alarms = [drift(rng.random(1000) < rate, int(rng.binomial(200, rate)), 200).since is not None for _ in range(200)]
    assert np.mean(alarms) <= 0.02


def test_the_bets_are_fair_at_the_floor() -> None:
    """At the very floor, which is the worst case, no more than 1 in 20 ever come to 20."""
    rng = np.random.default_rng(3)
    most = [float(bets(rng.random(600) < 0.85, 0.85).max()) for _ in range(300)]
    assert 0.0 < np.mean([each >= 20 for each in most]) <= 0.05
    worth = [float(bets(np.arange(20) < right, 0.85)[-1]) for right in range(21)]
    assert sum(binomial(right, 20, 0.85) * worth[right] for right in range(21)) == pytest.approx(1)
    assert sum(binomial(right, 20, 0.9) * worth[right] for right in range(21)) < 1


def test_drift_is_seen_however_long_it_went_well() -> None:
    rng = np.random.default_rng(4)
    for before, most in ((0, 90), (300, 180)):
        delays: list[float] = []
        for _ in range(60):
            right = np.concatenate([rng.random(before) < 0.9, rng.random(1200) < 0.7])
            since = drift(right, int(rng.binomial(200, 0.9)), 200).since
            delays.append(1e9 if since is None else since - before)
        assert np.median(delays) <= most
        assert np.mean(np.array(delays) > 1200) <= 0.02


def test_a_judge_that_gets_better_has_not_drifted() -> None:
    found = drift([True] * 500, 150, 200)
    assert found.since is None
    assert found.recent == 1.0
