import numpy as np
import pytest

from stats.arm import Arm, before, covariance_before, estimate, merged, variance, variance_before

RANDOM = np.random.default_rng(11)
D = RANDOM.poisson(4, 60) + 1.0
Q = RANDOM.poisson(3, 60) + 1.0
Y, P = RANDOM.normal(D, 1), RANDOM.normal(0.8 * Q, 1)


def test_a_mean_has_the_variances_of_numpy() -> None:
    arm = Arm.of_units(Y, p=P)
    assert estimate(arm) == pytest.approx(Y.mean())
    assert variance(arm) == pytest.approx(Y.var(ddof=1))
    assert variance_before(arm) == pytest.approx(P.var(ddof=1))
    assert covariance_before(arm) == pytest.approx(np.cov(Y, P)[0, 1])


def test_sums_of_a_mean_are_those_of_its_units() -> None:
    y, yy, p, yp, pp = map(float, (Y.sum(), Y @ Y, P.sum(), Y @ P, P @ P))
    assert Arm.of_mean(60, y, yy, p=p, yp=yp, pp=pp) == pytest.approx(Arm.of_units(Y, p=P))
    assert Arm.of_units(2.0, units=3) == Arm.of_mean(3, 6, 12)


def test_a_ratio_by_the_gradient_of_all_four_means() -> None:
    arm = Arm.of_units(Y, D, P, Q)
    covariance = np.cov([Y, D, P, Q])
    now = np.array([1 / D.mean(), -Y.mean() / D.mean() ** 2, 0, 0])
    then = np.array([0, 0, 1 / Q.mean(), -P.mean() / Q.mean() ** 2])
    assert variance(arm) == pytest.approx(now @ covariance @ now)
    assert variance_before(arm) == pytest.approx(then @ covariance @ then)
    assert covariance_before(arm) == pytest.approx(now @ covariance @ then)


def test_the_known_standard_error_of_a_ratio() -> None:
    arm = Arm.of_units([1, 0, 3, 2], [2, 1, 4, 3])
    assert estimate(arm) == pytest.approx(0.6)
    assert (variance(arm) / arm.n) ** 0.5 == pytest.approx(0.10327956, abs=1e-8)


def test_parts_add_up_in_any_split() -> None:
    parts = [Arm.of_units(Y[cut], D[cut], P[cut], Q[cut]) for cut in (slice(0, 7), slice(7, 50), slice(50, 60))]
    assert merged(parts) == pytest.approx(Arm.of_units(Y, D, P, Q))


def test_nothing_known_of_before_is_no_error() -> None:
    arm = Arm.of_units(Y, D, 0, 0)
    assert (before(arm), variance_before(arm), covariance_before(arm)) == (0, 0, 0)
