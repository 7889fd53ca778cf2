import numpy as np
import pytest

from stats.quantile import quantile, quantile_difference

EDGES = np.concatenate(([0.0], np.geomspace(0.02, 400, 400)))


def histograms(random: np.random.Generator, users: int, slower: float = 1.0) -> np.ndarray:
    """(100, bins): latencies of users whose own level differs, a few with many requests, in a hundred buckets."""
    requests = np.minimum(random.zipf(1.7, users), 200)
    level = np.repeat(np.exp(random.normal(0, 0.6, users)), requests)
    rows = slower * level * random.gamma(2, 1, len(level))
    bucket = np.repeat(random.integers(0, 100, users), requests)
    place = np.searchsorted(EDGES, rows) - 1
    return np.bincount(bucket * 400 + place, minlength=40_000).reshape(100, 400).astype(np.float64)


def test_of_one_row_a_bin_by_hand() -> None:
    found = quantile([[1, 0, 1, 0], [0, 1, 0, 1]], [0, 1, 2, 3, 4], 0.5)
    assert found.value == pytest.approx(2.0)
    assert found.df == 1
    # One row of each cluster below 2: no cluster differs from the other, so nothing is unsure.
    assert (found.low, found.high, found.se) == (2, 2, 0)
    unlike = quantile([[2, 0], [0, 2], [1, 1]], [0, 1, 2], 0.5)
    # Shares below 1 are 1, 0 and .5: residuals 1, -1, 0 over 6 rows, t(2) = 4.3027.
    half = 4.302653 * np.sqrt(3 / 2 * 2) / 6
    assert (unlike.low, unlike.high) == (0, 2)
    assert half > 0.5
    wide = quantile([[2, 0], [0, 2], [1, 1]], [0, 1, 2], 0.5, alpha=0.5)
    assert wide.high - wide.value == pytest.approx(0.816497 * np.sqrt(3) / 6 * 2, abs=1e-5)


@pytest.mark.parametrize(("q", "users"), [(0.5, 600), (0.95, 3000)])
def test_intervals_cover_where_users_differ(q: float, users: int) -> None:
    random = np.random.default_rng(12)
    found = [quantile(histograms(random, users), EDGES, q) for _ in range(500)]
    truth = quantile(histograms(np.random.default_rng(13), 400_000), EDGES, q).value
    covered = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.92 <= covered <= 0.98
    spread = np.std([one.value for one in found])
    assert np.mean([one.se for one in found]) == pytest.approx(spread, rel=0.15)


def test_the_difference_of_two_covers() -> None:
    random = np.random.default_rng(14)
    pairs = [
        (quantile(histograms(random, 300), EDGES, 0.9), quantile(histograms(random, 300, 1.2), EDGES, 0.9))
        for _ in range(400)
    ]
    big = [quantile(histograms(np.random.default_rng(15), 300_000, slower), EDGES, 0.9).value for slower in (1, 1.2)]
    found = [quantile_difference(*pair) for pair in pairs]
    assert 0.92 <= np.mean([one.low <= big[1] - big[0] <= one.high for one in found]) <= 0.985
    assert found[0].value == pytest.approx(pairs[0][1].value - pairs[0][0].value)


def test_empty_clusters_do_not_count() -> None:
    counts = histograms(np.random.default_rng(16), 50)
    padded = np.concatenate((counts, np.zeros((40, 400))))
    assert quantile(padded, EDGES, 0.5) == quantile(counts, EDGES, 0.5)


@pytest.mark.parametrize(("bins", "q"), [([[1, 2]], 0.5), ([[1, 2], [0, 0]], 0.5), ([[1, 2], [2, 1]], 1.0)])
def test_too_few_clusters_and_the_ends_are_refused(bins: list[list[int]], q: float) -> None:
    with pytest.raises(ValueError, match="clusters with rows"):
        quantile(bins, [0, 1, 2], q)
