from importlib import import_module
from math import inf, isnan
from typing import Any

import numpy as np
import pytest

from stats.paired import Attempt, paired, seen

scipy_stats: Any = import_module("scipy.stats")  # other people's numbers, without their types


def attempts(scores: list[float], clusters: list[str] | None = None, times: int = 1) -> list[Attempt]:
    return [
        Attempt(f"s{number}", score, clusters[number] if clusters else None)
        for number, score in enumerate(scores)
        for _ in range(times)
    ]


def test_samples_alone_are_the_paired_t_test() -> None:
    random = np.random.default_rng(1)
    candidate, other = random.random(40).tolist(), random.random(40).tolist()
    found = paired(attempts(candidate, times=3), attempts(other))
    theirs = scipy_stats.ttest_rel(candidate, other)
    low, high = theirs.confidence_interval()
    assert (found.difference, found.p, found.low, found.high) == pytest.approx(
        (theirs.statistic * found.se, theirs.pvalue, low, high)
    )
    assert (found.pairs, found.clusters, found.share) == (40, 40, 1.0)


def test_what_one_side_lacks_is_dropped_and_counted() -> None:
    candidate = [*attempts([1.0, 0.0, 1.0]), Attempt("s3", None), Attempt("s4", float("nan")), Attempt("s5", 1.0)]
    other = [*attempts([0.0, 0.0, 0.0]), Attempt("s3", 1.0), Attempt("s4", None), Attempt("s6", 0.0)]
    found = paired(candidate, other)
    assert (found.pairs, found.only_candidate, found.only_other, found.neither) == (3, 1, 2, 1)
    assert found.share == pytest.approx(3 / 7)
    assert (found.candidate, found.other) == pytest.approx((2 / 3, 0.0))


def test_an_attempt_without_a_score_is_no_zero() -> None:
    found = paired([Attempt("a", 1.0), Attempt("a", None), Attempt("b", 1.0)], [Attempt("a", 0.0), Attempt("b", 1.0)])
    assert found.candidate == 1.0
    assert found.pairs == 2


def test_tries_of_one_sample_weigh_as_one() -> None:
    candidate = [Attempt("a", 1.0), *[Attempt("b", 0.0)] * 9]
    assert paired(candidate, [Attempt("a", 0.0), Attempt("b", 0.0)]).difference == 0.5


def test_clusters_widen_what_is_alike_in_them() -> None:
    clusters = [f"r{number // 10}" for number in range(60)]
    candidate = [float(number // 10 % 2) for number in range(60)]
    alone, together = (
        paired(attempts(candidate), attempts([0.0] * 60)),
        paired(attempts(candidate, clusters), attempts([0.0] * 60, clusters)),
    )
    assert together.clusters == 6
    assert together.se > 2.5 * alone.se


def test_equal_checkpoints_are_not_known_to_be_equal() -> None:
    found = paired(attempts([1.0] * 50), attempts([1.0] * 50))
    assert found.difference == 0
    assert 3.7 / 50 < found.high < 2 * 3.7 / 50  # what may hide behind 50 pairs that agree, at .025
    assert found.p == 1.0


def test_no_pair_and_one_cluster_say_nothing() -> None:
    none = paired(attempts([1.0]), [Attempt("other", 1.0)])
    assert none.pairs == 0
    assert isnan(none.difference)
    assert (none.low, none.high, none.p) == (-inf, inf, 1.0)
    with pytest.raises(ValueError, match="on both sides"):
        seen(none)
    one = paired(attempts([1.0, 1.0], ["r", "r"]), attempts([0.0, 1.0], ["r", "r"]))
    assert (one.se, one.low, one.high, one.p) == (inf, -inf, inf, 1.0)


def test_a_sample_in_two_clusters_is_refused() -> None:
    with pytest.raises(ValueError, match="'s0' is in two clusters: 'b'"):
        paired([Attempt("s0", 1.0, "a"), Attempt("s0", 1.0, "b")], [])
    with pytest.raises(ValueError, match="both sides must name the same"):
        paired([Attempt("s0", 1.0, "a")], [Attempt("s0", 1.0, "b")])
