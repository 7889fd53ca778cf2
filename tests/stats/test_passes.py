from itertools import combinations
from math import isnan

import numpy as np
import pytest

from stats.passes import mean, pass_all, pass_at


@pytest.mark.parametrize(("n", "c", "k"), [(5, 0, 1), (5, 2, 1), (5, 2, 3), (5, 3, 3), (6, 5, 2), (4, 4, 4), (4, 0, 4)])
def test_as_often_as_tries_drawn_from_those_that_were_made(n: int, c: int, k: int) -> None:
    drawn = list(combinations([1] * c + [0] * (n - c), k))
    assert float(pass_at(n, c, k)) == pytest.approx(sum(map(any, drawn)) / len(drawn))
    assert float(pass_all(n, c, k)) == pytest.approx(sum(map(all, drawn)) / len(drawn))


def test_without_bias() -> None:
    passed = np.random.default_rng(1).binomial(6, 0.3, 200_000)
    assert float(pass_at(6, passed, 3).mean()) == pytest.approx(1 - 0.7**3, abs=0.003)
    assert float(pass_all(6, passed, 3).mean()) == pytest.approx(0.3**3, abs=0.001)


def test_many_trials_do_not_overflow() -> None:
    assert float(pass_at(2000, 1000, 100)) == pytest.approx(1.0)
    assert float(pass_all(2000, 1999, 1000)) == pytest.approx(0.5)


def test_a_task_with_too_few_tries_says_nothing() -> None:
    each = pass_all([4, 2, 4], [4, 2, 1], 3)
    assert isnan(float(each[1]))
    found = mean(each)
    assert (found.value, found.tasks, found.too_few) == (0.5, 2, 1)
    with pytest.raises(ValueError, match="of 1 tasks none"):
        mean(pass_all([1], [1], 2))


def test_tasks_that_share_a_repository_widen_the_interval() -> None:
    each = np.repeat([0.0, 1.0] * 5, 10)
    alone, together = mean(each), mean(each, [f"r{number // 10}" for number in range(100)])
    assert together.high - together.low > 2 * (alone.high - alone.low)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_what_is_no_count_is_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="no counts"):
        pass_at(n, c, k)
