from dataclasses import replace
from importlib import import_module
from math import inf, isnan, sqrt
from typing import Any

import numpy as np
import pytest

from stats.arm import Arm, covariance_before, merged, variance, variance_before
from stats.effect import effect, interval, p_value, relative_interval

ORACLE = import_module("scipy.stats")
TEA: Any = import_module("tea_tasting")
GBSTATS: Any = import_module("gbstats.frequentist.tests")
STATISTICS: Any = import_module("gbstats.models.statistics")
WELCH = (Arm.of_mean(3407, 1396.87, 52377.9767), Arm.of_mean(3461, 2422.7, 134698.29))


def units(seed: int, n: int, lift: float = 0.0) -> tuple[Any, Any, Any, Any]:
    """y, d, p and q of heavy and light users: sessions, and orders in them, now and before."""
    random = np.random.default_rng(seed)
    taste, habit = random.gamma(2, 1, n), random.gamma(3, 1, n)
    d, q = random.poisson(habit) + 1.0, random.poisson(habit) + 1.0
    return random.poisson(taste * d) + lift * d, d, random.poisson(taste * q) * 1.0, q


CONTROL, TREATMENT = units(1, 900), units(2, 1100, 0.1)


def test_welch_on_public_sums() -> None:
    found = effect(*WELCH)
    assert found.difference == pytest.approx(0.29, abs=5e-6)
    assert interval(found) == pytest.approx((0.04538, 0.53462), abs=5e-6)
    assert p_value(found) == pytest.approx(0.02016, abs=5e-6)


def test_the_relative_effect_is_less_sure_there() -> None:
    found = effect(*WELCH)
    assert found.relative == pytest.approx(0.70732, abs=5e-6)
    assert relative_interval(found) == pytest.approx((-0.03526, 1.44989), abs=5e-6)


def test_welch_is_scipys() -> None:
    found = effect(Arm.of_units(CONTROL[0]), Arm.of_units(TREATMENT[0]))
    exact = ORACLE.ttest_ind(TREATMENT[0], CONTROL[0], equal_var=False)
    assert p_value(found) == pytest.approx(exact.pvalue, rel=1e-9)
    assert interval(found, 0.1) == pytest.approx(tuple(exact.confidence_interval(0.9)))
    assert found.df == pytest.approx(exact.df)


@pytest.mark.parametrize("cuped", [False, True])
@pytest.mark.parametrize("is_ratio", [False, True])
def test_it_is_tea_tastings(is_ratio: bool, cuped: bool) -> None:
    frame = import_module("pandas").DataFrame(
        {name: np.concatenate(pair) for name, *pair in zip("ydpq", CONTROL, TREATMENT, strict=True)}
        | {"variant": np.repeat([0, 1], [900, 1100])}
    )
    names = {"numer": "y", "denom": "d"} | ({"numer_covariate": "p", "denom_covariate": "q"} if cuped else {})
    metric = TEA.RatioOfMeans(**names) if is_ratio else TEA.Mean("y", covariate="p" if cuped else None)
    theirs = TEA.Experiment(m=metric).analyze(frame)["m"]
    arms = [Arm.of_units(*each) if is_ratio else Arm.of_units(each[0], p=each[2]) for each in (CONTROL, TREATMENT)]
    found = effect(*arms, cuped=cuped)
    assert (found.control, found.treatment, found.difference) == pytest.approx(
        (theirs.control, theirs.treatment, theirs.effect_size), abs=1e-9
    )
    assert interval(found) == pytest.approx((theirs.effect_size_ci_lower, theirs.effect_size_ci_upper), abs=1e-9)
    assert p_value(found) == pytest.approx(theirs.pvalue, rel=1e-6)
    assert found.relative == pytest.approx(theirs.rel_effect_size, rel=1e-9)
    # Theirs is the interval of a logarithm; ours, carried to it by the derivative, agrees for so small an effect.
    log_se = found.relative_se / (1 + found.relative)
    width = np.log1p(theirs.rel_effect_size_ci_upper) - np.log1p(theirs.rel_effect_size_ci_lower)
    assert 2 * 1.96 * log_se == pytest.approx(width, rel=2e-3)


@pytest.mark.parametrize("cuped", [False, True])
@pytest.mark.parametrize("relative", [False, True])
def test_it_is_gbstats(relative: bool, cuped: bool) -> None:
    arms = [Arm.of_units(each[0], p=each[2]) for each in (CONTROL, TREATMENT)]
    theirs = [STATISTICS.SampleMeanStatistic(n=int(arm.n), sum=arm.y, sum_squares=arm.yy) for arm in arms]
    if cuped and not relative:  # relative to what, there: to the mean that is not adjusted
        past = [STATISTICS.SampleMeanStatistic(n=int(arm.n), sum=arm.p, sum_squares=arm.pp) for arm in arms]
        theirs = [
            STATISTICS.RegressionAdjustedStatistic(int(arm.n), now, then, arm.yp, 0.0)
            for arm, now, then in zip(arms, theirs, past, strict=True)
        ]
        theta = STATISTICS.compute_theta(*theirs)
        theirs = [replace(each, theta=theta) for each in theirs]
    compare(arms, theirs, relative=relative, cuped=cuped and not relative)


@pytest.mark.parametrize("relative", [False, True])
def test_ratios_are_gbstats(relative: bool) -> None:
    arms = [Arm.of_units(*each) for each in (CONTROL, TREATMENT)]
    mean = STATISTICS.SampleMeanStatistic
    theirs = [
        STATISTICS.RatioStatistic(int(a.n), mean(int(a.n), a.y, a.yy), mean(int(a.n), a.d, a.dd), a.yd) for a in arms
    ]
    compare(arms, theirs, relative=relative, cuped=False)


def compare(arms: list[Arm], theirs: list[Any], *, relative: bool, cuped: bool) -> None:
    config = GBSTATS.FrequentistConfig(difference_type="relative" if relative else "absolute")
    exact = GBSTATS.TwoSidedTTest(*theirs, config).compute_result()
    found = effect(*arms, cuped=cuped)
    assert (found.relative if relative else found.difference) == pytest.approx(exact.expected, abs=1e-9)
    assert (relative_interval if relative else interval)(found) == pytest.approx(tuple(exact.ci), abs=1e-9)
    if not relative:
        assert p_value(found) == pytest.approx(exact.p_value, abs=1e-9)


def test_the_known_cuped() -> None:
    arm = Arm.of_units([1, 2, 3, 4, 5], p=[2, 1, 4, 3, 5])
    theta = covariance_before(arm) / variance_before(arm)
    assert theta == pytest.approx(0.8)
    found = effect(arm, arm, cuped=True)
    assert found.se**2 / effect(arm, arm).se ** 2 == pytest.approx(0.36)


def test_cuped_has_one_theta_for_both_arms() -> None:
    """By hand: the same theta taken from each unit leaves a plain comparison of means."""
    control, treatment = (Arm.of_units(each[0], p=each[2]) for each in (CONTROL, TREATMENT))
    both = merged((control, treatment))
    theta = covariance_before(both) / variance_before(both)
    found = effect(control, treatment, cuped=True)
    plain = ORACLE.ttest_ind(TREATMENT[0] - theta * TREATMENT[2], CONTROL[0] - theta * CONTROL[2], equal_var=False)
    assert p_value(found) == pytest.approx(plain.pvalue, rel=1e-9)
    assert found.se < 0.9 * effect(control, treatment).se


def test_a_past_that_says_nothing_changes_nothing() -> None:
    control, treatment = Arm.of_units(CONTROL[0]), Arm.of_units(TREATMENT[0])
    assert effect(control, treatment, cuped=True) == effect(control, treatment)
    unknown = Arm.of_units(CONTROL[0], CONTROL[1], 0, 0)
    seen = Arm.of_units(*TREATMENT)
    assert effect(unknown, seen, cuped=True) == effect(unknown, seen)


def test_the_error_of_the_relative_effect_by_simulation() -> None:
    random = np.random.default_rng(3)
    control, treatment = random.normal(10, 3, (4000, 80)).mean(axis=1), random.normal(13, 4, (4000, 60)).mean(axis=1)
    found = effect(Arm.of_units(random.normal(10, 3, 80)), Arm.of_units(random.normal(13, 4, 60)))
    assert found.relative_se == pytest.approx((treatment / control - 1).std(), rel=0.2)
    assert found.se == pytest.approx(sqrt(found.control_se**2 + found.treatment_se**2))


def test_a_negative_control_keeps_the_sign_of_the_difference() -> None:
    found = effect(Arm.of_units([-10, -11, -9]), Arm.of_units([-8, -7, -9]))
    assert found.difference == pytest.approx(2)
    assert found.relative == pytest.approx(0.2)


def test_units_that_do_not_differ_say_nothing() -> None:
    found = effect(Arm.of_units(0.0, units=3), Arm.of_units(1.0, units=3))
    assert found.difference == 1
    assert p_value(found) == 1
    assert interval(found) == (-inf, inf)
    assert isnan(found.relative)
    assert relative_interval(found) == (-inf, inf)


@pytest.mark.parametrize("arm", [Arm.of_units(1.0, units=1), Arm.of_units([1, 2], 0)])
def test_an_arm_that_cannot_be_compared_is_named(arm: Arm) -> None:
    with pytest.raises(ValueError, match="the treatment has"):
        effect(Arm.of_units([1, 2, 3]), arm)


def test_the_variance_never_falls_below_zero() -> None:
    assert variance(Arm.of_units(0.1, units=7)) >= 0
