"""From logits to probabilities that mean what they say, and how well they do on texts with a known verdict."""

from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stats.auc import auc
from stats.calibration import brier, expected_calibration_error, fit_logistic, fit_temperature, sigmoid, softmax
from training.judges.labels import UNKNOWN, Labels
from training.judges.network import Features, Network

Outputs = tuple[Tensor, Tensor]


class Calibration(NamedTuple):
    """What turns logits into probabilities: sigmoid(scale * logit + offset), softmax(logits / temperature)."""

    scale: float
    offset: float
    temperature: float

    def negative(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) probabilities of dissatisfaction."""
        return sigmoid(self.scale * logits + self.offset)

    def modes(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, modes) probabilities, which sum to 1 a row."""
        return softmax(logits / self.temperature)


def calibrate(network: Network, features: Features, labels: Labels) -> Calibration:
    """Fitted on the validation part, which the weights have not seen."""
    negative, mode = (as_float64(logits) for logits in outputs_of(network, features))
    known, named = (labels.negative != UNKNOWN).numpy(), (labels.mode != UNKNOWN).numpy()
    scale, offset = fit_logistic(negative[known], (labels.negative == 1).numpy()[known])
    return Calibration(scale, offset, fit_temperature(mode[named], labels.mode.numpy()[named]))


def measure(network: Network, calibration: Calibration, features: Features, labels: Labels) -> dict[str, float]:
    """Metrics of the held-out part by name; one that has nothing to measure is absent."""
    negative_logits, mode_logits = (as_float64(logits) for logits in outputs_of(network, features))
    known, named = (labels.negative != UNKNOWN).numpy(), (labels.mode != UNKNOWN).numpy()
    truth = (labels.negative == 1).numpy()[known]
    probability = calibration.negative(negative_logits)[known]
    metrics = {
        "accuracy": float(((probability >= 0.5) == truth).mean()),
        "base_rate": float(max(truth.mean(), 1 - truth.mean())),
        "brier": brier(probability, truth),
        "ece": expected_calibration_error(probability, truth),
    }
    ranking = auc(probability, truth)
    if ranking is not None:
        metrics["auc"] = ranking
    if named.any():
        metrics["mode_accuracy"] = float((mode_logits.argmax(axis=1)[named] == labels.mode.numpy()[named]).mean())
    return metrics


def outputs_of(network: Network, features: Features) -> Outputs:
    """Logits without dropout and without gradients."""
    network.eval()
    with torch.no_grad():
        return network(features)


def as_float64(logits: Tensor) -> NDArray[np.float64]:
    """For the statistics."""
    return cast(NDArray[np.float64], logits.double().numpy())
