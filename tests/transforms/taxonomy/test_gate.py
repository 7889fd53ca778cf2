"""Thresholds for a wanted precision, and the nearest examples."""

import numpy as np

from transforms.taxonomy.centroids import unit
from transforms.taxonomy.gate import fit_gate, mean_cosine_to_nearest, threshold

SURE = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
RIGHT = np.array([True, True, False, True, False])
EACH = np.ones(5)


def test_the_lowest_confidence_that_is_precise_enough() -> None:
    assert threshold(SURE, RIGHT, EACH, 1.0) == 0.8
    assert threshold(SURE, RIGHT, EACH, 0.75) == 0.6
    assert threshold(SURE, RIGHT, EACH, 0.6) == 0.5
    assert threshold(SURE, ~RIGHT, EACH, 0.9) > 1
    assert threshold(SURE, RIGHT, np.array([1, 1, 0.1, 1, 1]), 0.9) == 0.6


def test_equal_confidences_are_assigned_together() -> None:
    assert threshold(np.array([0.9, 0.8, 0.8]), np.array([True, True, False]), np.ones(3), 0.9) == 0.9


def test_few_off_topic_examples_that_are_stopped_prove_little() -> None:
    sure = np.array([0.9, 0.8, 0.1])
    right = np.array([True, True, False])
    off = np.array([False, False, True])
    assert threshold(sure, right, np.ones(3), 0.99) == 0.8
    assert threshold(sure, right, np.ones(3), 0.99, off) > 1
    many = np.append(sure[:2], np.full(300, 0.1))
    weights = np.append([1.0, 1.0], np.full(300, 1 / 300))
    assert threshold(many, np.arange(302) < 2, weights, 0.99, np.arange(302) >= 2) == 0.8


def test_a_gate_is_surer_where_more_is_right() -> None:
    draw = np.random.default_rng(4)
    signals = draw.normal(size=(400, 2))
    right = signals[:, 0] + draw.normal(size=400) > 0
    gate = fit_gate(signals, right, np.ones(400), 0.9)
    sure = gate.confidence(signals)
    assert abs(sure.mean() - right.mean()) < 0.02
    assert right[sure >= gate.threshold].mean() >= 0.9
    assert fit_gate(signals, np.ones(400, dtype=np.bool_), np.ones(400), 0.9).confidence(signals[:1])[0] > 0.99


def test_the_nearest_examples_are_those_of_the_asked_class() -> None:
    examples = [unit(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]])), unit(np.array([[0.0, 1.0]]))]
    near = mean_cosine_to_nearest(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1]), examples)
    np.testing.assert_allclose(near, [(1 + 0.5**0.5) / 3, 0.0], atol=1e-6)
