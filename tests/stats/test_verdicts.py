"""The rules of `benchmarks.experiments` on a few of its experiments: that they are what they are said to be."""

import numpy as np
import pytest

from benchmarks.experiments_rules import RULES, outcome
from benchmarks.experiments_simulated import DAYS, KINDS, looked, simulate
from stats.arm import Arm
from stats.effect import effect
from stats.sequential import Look, decisions


def test_sums_are_looked_at_as_stats_would() -> None:
    random = np.random.default_rng(51)
    arms = [Arm.of_units(random.poisson(2 * d), d) for d in (random.poisson(3, 80) + 1, random.poisson(3, 90) + 1)]
    sums = [np.array([arm.n, arm.y, arm.d, arm.yy, arm.yd, arm.dd]).reshape(6, 1, 1) for arm in arms]
    seen = looked(sums[0], sums[1], np.ones(1), np.ones(1))
    found = effect(*arms)
    assert (seen.difference[0, 0], seen.se[0, 0]) == pytest.approx((found.difference, found.se))
    assert (seen.units[0, 0], seen.weight[0, 0]) == (170, arms[0].d + arms[1].d)


@pytest.mark.parametrize("kind", KINDS)
def test_our_rule_is_the_decision_that_a_mart_would_make(kind: str) -> None:
    seen = simulate(kind, 12, 52, lifted=True)
    called = RULES["flywheel"](seen)
    for row in range(12):
        looks = [
            Look(*map(float, each))
            for each in zip(seen.difference[row], seen.se[row], 100 * seen.information, seen.weight[row], strict=True)
        ]
        found = decisions(looks, 0.05, 100)[-1]
        first = int(called[row].argmax()) if called[row].any() else None
        assert (found.decided if found.verdict in ("higher", "lower") else None) == first


@pytest.mark.parametrize("kind", KINDS)
def test_ours_errs_rarely_where_naive_looks_err_often(kind: str) -> None:
    seen = simulate(kind, 300, 53, lifted=False)
    wrong = {name: outcome(seen, rule(seen)).called / 300 for name, rule in RULES.items() if name != "gbstats"}
    assert wrong["flywheel"] <= 0.09  # 5% of 300 and three standard errors
    assert wrong["naive"] > 0.18
    assert wrong["bayes"] > wrong["naive"]
    assert wrong["msprt"] < 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_the_lift_is_what_the_end_shows(kind: str) -> None:
    seen = simulate(kind, 200, 54, lifted=True)
    assert seen.difference[:, -1].mean() == pytest.approx(seen.true[-1], rel=0.07)
    assert seen.difference[:, DAYS // 2].mean() == pytest.approx(seen.true[DAYS // 2], rel=0.1)
    assert (seen.difference[:, -1] / seen.se[:, -1]).std() == pytest.approx(1, abs=0.15)
    assert outcome(seen, RULES["fixed"](seen)).called / 200 == pytest.approx(0.87, abs=0.07)


def test_gbstats_itself_calls_what_we_say_it_does() -> None:
    seen = simulate("once", 10, 55, lifted=True)  # raises where an interval of gbstats is another
    assert RULES["gbstats"](seen).shape == (10, DAYS)
