"""Planted clusters are found, known modes keep theirs, and the order of the rows is no matter."""

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from models.errors import FlywheelError
from text.embedding import load_embedder
from text.normal_form import normal_form
from transforms.taxonomy.centroids import cosines, unit
from transforms.taxonomy.discovery import discover, nearest_neighbours

METRICS: Any = importlib.import_module("sklearn.metrics")
CLINC = Path(__file__).parents[4] / "shared" / "data" / "clinc150" / "data_full.json"


def planted(sizes: list[int], width: int = 48, spread: float = 0.08) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    draw = np.random.default_rng(4)
    centres = unit(draw.normal(size=(len(sizes), width)))
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return unit(centres[truth] + spread * draw.normal(size=(len(truth), width))), truth


def keys(count: int) -> list[str]:
    return [f"{(row * 7919) % 100_003:06}" for row in range(count)]


def test_planted_clusters_are_found_largest_first() -> None:
    vectors, truth = planted([40, 60, 30, 50])
    found = discover(vectors, keys=keys(len(vectors)))
    assert METRICS.adjusted_rand_score(truth, found.labels) > 0.99
    assert np.bincount(found.labels).tolist() == [60, 50, 40, 30]
    assert found.centroids.shape == (4, 48)
    np.testing.assert_allclose(np.linalg.norm(found.centroids, axis=1), 1.0)
    assert (cosines(vectors, found.centroids).argmax(axis=1) == found.labels).all()


def test_the_order_of_the_rows_is_no_matter() -> None:
    vectors, _ = planted([40, 60, 30, 50, 25], spread=0.16)
    names = keys(len(vectors))
    one = discover(vectors, keys=names)
    mixed: list[int] = np.random.default_rng(9).permutation(len(vectors)).tolist()
    other = discover(vectors[mixed], keys=[names[row] for row in mixed])
    assert (other.labels == one.labels[mixed]).all()
    assert (other.centroids == one.centroids).all()


def test_rows_of_known_modes_are_left_to_them() -> None:
    vectors, truth = planted([40, 60, 30])
    known = np.vstack([vectors[truth == 1].mean(axis=0)])
    found = discover(vectors, keys=keys(len(vectors)), known_centroids=known)
    assert (found.labels[truth == 1] == -1).all()
    assert len(found.centroids) == 2


def test_a_cluster_near_a_known_mode_is_left_to_it() -> None:
    vectors, truth = planted([40, 60, 30], spread=0.14)
    known = np.vstack([vectors[truth == 0].mean(axis=0)])
    found = discover(vectors, keys=keys(len(vectors)), known_centroids=known, tau=0.99)
    assert (found.labels[truth == 0] == -1).mean() > 0.9
    assert len(found.centroids) == 2


def test_few_rows_do_not_fall_into_splinters() -> None:
    vectors, truth = planted([30, 25, 35], spread=0.12)
    found = discover(vectors, keys=keys(len(vectors)), merge=1.1)
    assert METRICS.adjusted_rand_score(truth, found.labels) > 0.9


def test_near_clusters_are_merged() -> None:
    vectors, truth = planted([300, 300])
    apart = discover(vectors, keys=keys(600), merge=1.1)
    merged = discover(vectors, keys=keys(600))
    assert len(apart.centroids) > 2
    assert METRICS.adjusted_rand_score(truth, merged.labels) == 1.0


def test_clusters_of_too_few_members_are_dropped() -> None:
    vectors, truth = planted([40, 20, 30])
    found = discover(vectors, keys=keys(len(vectors)), min_members=25)
    assert (found.labels[truth == 1] == -1).all()
    assert np.bincount(found.labels[truth != 1]).tolist() == [40, 30]


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_case_48_few_rows_make_no_cluster(rows: int) -> None:
    found = discover(np.ones((rows, 8)), keys=keys(rows))
    assert found.labels.tolist() == [-1] * rows
    assert found.centroids.shape == (0, 8)


def test_equal_rows_are_one_cluster() -> None:
    found = discover(np.ones((40, 8)), keys=keys(40))
    assert found.labels.tolist() == [0] * 40


def test_many_rows_go_through_micro_clusters() -> None:
    vectors, truth = planted([12_000, 16_000, 13_000, 10_000], width=8, spread=0.05)
    found = discover(vectors, keys=keys(len(vectors)), resolution=1.0)
    assert METRICS.adjusted_rand_score(truth, found.labels) > 0.99


def test_neighbours_are_exact() -> None:
    rows, _ = planted([30, 30])
    similar = rows @ rows.T
    np.fill_diagonal(similar, -1)
    expected = np.argsort(-similar, axis=1)[:, :15]
    assert (np.sort(nearest_neighbours(rows, 15)) == np.sort(expected)).all()


def test_keys_must_tell_rows_apart() -> None:
    with pytest.raises(FlywheelError, match="20 rows, 1 keys"):
        discover(np.ones((20, 4)), keys=["same"] * 20)


@pytest.mark.skipif(not CLINC.exists(), reason="shared/data/clinc150 is not there")
def test_thirty_intents_of_clinc150_are_recovered() -> None:
    rows = json.loads(CLINC.read_text())["test"]
    intents = sorted({intent for _, intent in rows})[::5]
    chosen = [(normal_form(text), intent) for text, intent in rows if intent in intents]
    vectors = load_embedder().embed([text for text, _ in chosen])
    found = discover(vectors, keys=[f"{row:04}" for row in range(len(chosen))])
    truth = [intent for _, intent in chosen]
    assert METRICS.v_measure_score(truth, found.labels) > 0.9
    assert METRICS.adjusted_rand_score(truth, found.labels) > 0.75
