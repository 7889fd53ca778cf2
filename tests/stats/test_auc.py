from importlib import import_module

import numpy as np
import pytest

from stats.auc import auc

ORACLE = import_module("sklearn.metrics")


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_it_is_sklearns_with_and_without_ties(levels: int) -> None:
    random = np.random.default_rng(levels)
    positive = random.random(200) < 0.3
    scores = np.round((random.random(200) + 0.3 * positive) * levels) / levels
    assert auc(scores, positive) == pytest.approx(float(ORACLE.roc_auc_score(positive, scores)))


def test_one_class_has_no_ranking() -> None:
    assert auc(np.array([0.1, 0.9]), np.array([True, True])) is None
    assert auc(np.array([]), np.array([], dtype=np.bool_)) is None
