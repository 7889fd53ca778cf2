from importlib import import_module

import numpy as np
import pytest

from stats.calibration import brier, expected_calibration_error, fit_logistic, fit_temperature, sigmoid, softmax

METRICS, OPTIMIZE = import_module("sklearn.metrics"), import_module("scipy.optimize")
RANDOM = np.random.default_rng(7)
TRUE = RANDOM.normal(size=500)
POSITIVE = RANDOM.random(500) < sigmoid(TRUE)


def test_brier_is_sklearns() -> None:
    assert brier(sigmoid(TRUE), POSITIVE) == pytest.approx(float(METRICS.brier_score_loss(POSITIVE, sigmoid(TRUE))))


def test_the_calibration_error_by_hand() -> None:
    assert expected_calibration_error(np.array([0.95, 0.95, 1.0, 0.05]), np.array([True, True, False, False])) == (
        pytest.approx(((2.9 - 2) + 0.05) / 4)
    )


def test_overconfident_logits_are_mended() -> None:
    scale, offset = fit_logistic(5 * TRUE + 3, POSITIVE)
    n, k = int(POSITIVE.sum()), int((~POSITIVE).sum())
    targets = np.where(POSITIVE, (n + 1) / (n + 2), 1 / (k + 2))

    def loss(weights: list[float]) -> float:
        logits = weights[0] * (5 * TRUE + 3) + weights[1]
        return float(np.sum(np.logaddexp(0, logits) - targets * logits))

    best = OPTIMIZE.minimize(loss, [0.2, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10})
    assert (scale, offset) == pytest.approx(tuple(best.x), abs=1e-4)
    before = expected_calibration_error(sigmoid(5 * TRUE + 3), POSITIVE)
    assert expected_calibration_error(sigmoid(scale * (5 * TRUE + 3) + offset), POSITIVE) < before / 2


def test_separable_classes_stay_finite_and_one_class_is_left_alone() -> None:
    fitted = fit_logistic(np.array([-50.0, -40.0, 40.0, 50.0]), np.array([False, False, True, True]))
    assert np.isfinite(fitted).all()
    assert fit_logistic(np.array([1.0, 2.0]), np.array([True, True])) == (1.0, 0.0)


def test_the_temperature_is_the_one_of_least_loss() -> None:
    logits = RANDOM.normal(size=(300, 4))
    labels = np.array([RANDOM.choice(4, p=row) for row in softmax(logits)])

    def loss(log_temperature: float) -> float:
        return float(METRICS.log_loss(labels, softmax(3 * logits / np.exp(log_temperature)), labels=[0, 1, 2, 3]))

    best = OPTIMIZE.minimize_scalar(loss, bounds=(-3, 3), method="bounded", options={"xatol": 1e-8})
    assert np.log(fit_temperature(3 * logits, labels)) == pytest.approx(best.x, abs=1e-4)
    assert fit_temperature(np.zeros((0, 4)), np.zeros(0, dtype=np.int64)) == 1.0
