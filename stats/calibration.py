"""Does a probability mean what it says, and how to make it: errors of probabilities, and the maps that mend them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stats.wilson import wilson

Numbers = NDArray[np.float64]


class Logistic(NamedTuple):
    """probability = sigmoid(scale * logit + offset)."""

    scale: float
    offset: float


def brier(probabilities: Numbers, positive: NDArray[np.bool_]) -> float:
    """Mean squared error of (n,) probabilities: 0 is perfect, .25 is always saying one half. Source: Brier (1950)."""
    return float(np.mean((probabilities - positive) ** 2))


def expected_calibration_error(
    probabilities: Numbers, positive: NDArray[np.bool_], bins: int = 10, weights: Numbers | None = None
) -> float:
    """Mean gap between probability and observed share over bins of equal width, weighted by their rows; 0 to 1.

    A row counts 1, or as `weights` (n,) say.

    Source: Naeini, Cooper and Hauskrecht (2015), section 3; biased upwards where bins hold few rows.
    """
    number = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    counts = np.ones(len(probabilities)) if weights is None else weights
    gaps = np.bincount(number, weights=(probabilities - positive) * counts, minlength=bins)
    return float(np.abs(gaps).sum() / counts.sum())


class Bin(NamedTuple):
    """Probabilities of one part of the scale, and what came of them."""

    bin: int
    """From 0, each as wide as the others."""
    labels: int
    mean: float
    """Of the probabilities."""
    share: float
    """Of what was true."""
    low: float
    high: float
    """95% interval of the share, by Wilson."""


def reliability(probabilities: Numbers, positive: NDArray[np.bool_], bins: int = 10) -> list[Bin]:
    """The bins that hold any of (n,) probabilities: calibrated are those whose share is their mean, but for chance."""
    number = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    found: list[Bin] = []
    for place in np.unique(number).tolist():
        inside = number == place
        count, true = int(inside.sum()), int(positive[inside].sum())
        low, high = wilson(true, count)
        found.append(Bin(place, count, float(probabilities[inside].mean()), true / count, low, high))
    return found


def fit_logistic(logits: Numbers, positive: NDArray[np.bool_], steps: int = 50) -> Logistic:
    """Scale and offset that make (n,) logits a calibrated probability; the identity where one class is missing.

    The offset undoes what class weights did to the base rate, the scale is one over the temperature. Smoothed targets
    keep it finite where the classes are separable. Source: Platt (1999), section 2.2; Newton's method.
    """
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if positives == 0 or negatives == 0:
        return Logistic(1.0, 0.0)
    targets = np.where(positive, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    inputs = np.stack([logits, np.ones_like(logits)], axis=1)  # (n, 2)
    weights = np.array([1.0, 0.0])
    loss = _logistic_loss(inputs @ weights, targets)
    for _ in range(steps):
        p = sigmoid(inputs @ weights)
        gradient = inputs.T @ (p - targets)
        hessian = (inputs * (p * (1 - p))[:, None]).T @ inputs + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        # Halved until it helps: far from the optimum a full Newton step overshoots.
        while (after := _logistic_loss(inputs @ (weights - step), targets)) > loss and np.abs(step).max() > 1e-9:
            step = step / 2
        if np.abs(step).max() <= 1e-9:
            break
        weights, loss = weights - step, after
    return Logistic(float(weights[0]), float(weights[1]))


def fit_temperature(logits: Numbers, labels: NDArray[np.int64]) -> float:
    """The temperature by which (n, k) logits are divided so that softmax is calibrated; 1 for no rows.

    Searched between 1/20 and 20 by golden section. Source: Guo, Pleiss, Sun and Weinberger (2017), section 4.2.
    """
    if len(labels) == 0:
        return 1.0
    golden = (np.sqrt(5.0) - 1) / 2
    low, high = -np.log(20.0), np.log(20.0)
    while high - low > 1e-6:
        left, right = high - golden * (high - low), low + golden * (high - low)
        if _softmax_loss(logits / np.exp(left), labels) <= _softmax_loss(logits / np.exp(right), labels):
            high = right
        else:
            low = left
    return float(np.exp((low + high) / 2))


def sigmoid(logits: Numbers) -> Numbers:
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logits))


def softmax(logits: Numbers) -> Numbers:
    """Probabilities over the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _logistic_loss(logits: Numbers, targets: Numbers) -> float:
    return float(np.sum(np.logaddexp(0, logits) - targets * logits))


def _softmax_loss(logits: Numbers, labels: NDArray[np.int64]) -> float:
    return -float(np.log(np.maximum(softmax(logits)[np.arange(len(labels)), labels], 1e-300)).mean())
