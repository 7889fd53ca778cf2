from importlib import import_module
from typing import Any

import numpy as np
import pytest

from stats.clustered import clustered, half_width, of_sums, p_above, share_interval
from stats.wilson import wilson

scipy_stats: Any = import_module("scipy.stats")  # other people's numbers, without their types


def test_clusters_of_one_size_are_students_t_on_their_means() -> None:
    random = np.random.default_rng(1)
    values = random.normal(size=(12, 5)) + random.normal(size=(12, 1))
    found = clustered(values.ravel(), np.repeat(np.arange(12), 5))
    theirs = scipy_stats.ttest_1samp(values.mean(axis=1), 0.1, alternative="greater")
    assert float(found.se) == pytest.approx(values.mean(axis=1).std(ddof=1) / 12**0.5)
    assert float(found.df) == pytest.approx(11)
    assert float(p_above(found, 0.1)) == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("rho", [0.0, 0.4])
def test_uneven_clusters_have_the_error_and_the_degrees_that_matrices_give(rho: float) -> None:
    """Bell and McCaffrey's, written out: residual maker, cluster blocks, the model's covariance."""
    random = np.random.default_rng(2)
    sizes = np.array([1, 2, 4, 9, 12])
    place = np.repeat(np.arange(5), sizes)
    values = random.normal(size=28) + (2.0 if rho else 0.0) * random.normal(size=5)[place]
    found = clustered(values, place)

    n = len(values)
    maker = np.eye(n) - 1 / n
    within = sum(float(((values[place == g] - values[place == g].mean()) ** 2).sum()) for g in range(5)) / (n - 5)
    means = np.array([values[place == g].mean() for g in range(5)])
    between = float((sizes * (means - values.mean()) ** 2).sum()) / 4
    usual = (n - (sizes**2).sum() / n) / 4
    alike = min(max((between - within) / (between + (usual - 1) * within), 0.0), 1.0)
    model = (1 - alike) * np.eye(n) + alike * (place[:, None] == place)
    rows = np.stack([(place == g) @ maker / np.sqrt(1 - sizes[g] / n) / n for g in range(5)])  # (clusters, n)
    covariance = rows @ model @ rows.T
    true = float(np.ones(n) @ model @ np.ones(n)) / n**2
    square = float(((rows @ values) ** 2).sum()) * true / np.trace(covariance)
    assert (alike > 0.2) == bool(rho)
    assert float(found.se) == pytest.approx(square**0.5)
    assert float(found.df) == pytest.approx(np.trace(covariance) ** 2 / np.trace(covariance @ covariance))


def test_many_at_once_are_each_alone() -> None:
    random = np.random.default_rng(3)
    place = np.repeat(np.arange(4), [2, 3, 5, 7])
    rows = random.integers(0, 2, (6, 17)).astype(float)
    inside = np.eye(4)[place]
    together = of_sums(rows @ inside, inside.sum(axis=0), (rows * rows) @ inside)
    for number, row in enumerate(rows):
        assert [float(each[number]) for each in together] == pytest.approx([float(e) for e in clustered(row, place)])


def test_an_empty_cluster_is_none() -> None:
    full, holed = of_sums([1, 2, 3], [4, 4, 4], [1, 2, 3]), of_sums([1, 0, 2, 3], [4, 0, 4, 4], [1, 0, 2, 3])
    assert [float(each) for each in holed] == pytest.approx([float(each) for each in full])


def test_samples_that_are_alone_have_wilsons_interval() -> None:
    passed = np.repeat([1.0, 0.0], [180, 20])
    low, high = share_interval(clustered(passed, np.arange(200)))
    assert (float(low), float(high)) == pytest.approx(tuple(wilson(180, 200)), abs=0.001)


@pytest.mark.parametrize("score", [0.0, 1.0])
@pytest.mark.parametrize(("clusters", "each"), [(10, 10), (100, 1), (2, 3)])
def test_all_or_none_passed_is_an_interval_with_a_width(score: float, clusters: int, each: int) -> None:
    low, high = share_interval(clustered(np.full(clusters * each, score), np.repeat(np.arange(clusters), each)))
    inner = float(low) if score else 1 - float(high)
    assert (float(high) if score else 1 - float(low)) == 1.0
    assert 0 < inner < 1 - 2 / (clusters * each)


def test_one_more_that_fails_lowers_the_interval() -> None:
    place = np.repeat(np.arange(10), 10)
    lows = [float(share_interval(clustered(np.arange(100) >= failed, place))[0]) for failed in range(6)]
    assert lows == sorted(lows, reverse=True)
    assert len(set(lows)) == 6


def test_one_cluster_says_nothing() -> None:
    found = clustered([1, 0, 1], ["a", "a", "a"])
    assert float(half_width(found)) == np.inf
    assert [float(end) for end in share_interval(found)] == [0.0, 1.0]
    assert float(p_above(found)) == 0.5


def test_ten_repositories_of_alike_tasks_are_covered() -> None:
    random = np.random.default_rng(4)
    place = np.repeat(np.arange(10), 10)
    chance = np.clip(0.6 + 0.2 * random.normal(size=(3000, 10))[:, place], 0.02, 0.98)
    truth = float(np.clip(0.6 + 0.2 * random.normal(size=1_000_000), 0.02, 0.98).mean())
    means = random.binomial(3, chance) / 3
    inside = np.eye(10)[place]
    low, high = share_interval(of_sums(means @ inside, inside.sum(axis=0), (means * means) @ inside), attempts=3)
    assert 0.93 < ((low <= truth) & (truth <= high)).mean() < 0.97


@pytest.mark.parametrize("values", [[], [1.0, float("nan")]])
def test_what_is_no_number_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=f"{len(values)} values"):
        clustered(values, list(range(len(values))))


def test_scores_beyond_a_share_are_refused() -> None:
    with pytest.raises(ValueError, match="is no share"):
        share_interval(clustered([3.0, 4.0], [1, 2]))
