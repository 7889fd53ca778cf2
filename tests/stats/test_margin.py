import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr  # pyright: ignore[reportMissingTypeStubs]

from stats.clustered import of_sums
from stats.margin import WIDEST, restricted, score, widened
from stats.paired import Difference


def test_near_a_half_it_is_students_t() -> None:
    look = Difference(0.54, 0.5, 0.02, 30.0, 200, 31)
    assert float(ndtr(-score(look))) == pytest.approx(float(stdtr(30, -2.0)), rel=0.01)
    assert score(look._replace(candidate=0.46)) == pytest.approx(-score(look), rel=0.002)


@pytest.mark.parametrize(("candidate", "other", "margin"), [(0.97, 0.96, 0.03), (0.8, 0.7, 0.05), (0.02, 0.03, 0.1)])
def test_no_shares_a_margin_apart_are_likelier(candidate: float, other: float, margin: float) -> None:
    low, high = restricted(candidate, other, margin)
    assert high - low == pytest.approx(margin)
    grid = np.linspace(1e-6, 1 - margin - 1e-6, 200_001)

    def likely(share: float, seen: float) -> float:
        return seen * np.log(share) + (1 - seen) * np.log(1 - share)

    best = max(likely(each, candidate) + likely(each + margin, other) for each in grid.tolist()[::10])
    assert likely(low, candidate) + likely(high, other) >= best - 1e-9


def test_the_variance_is_only_ever_widened_and_never_without_end() -> None:
    assert widened(0.5, 0.5, 0.05) == pytest.approx(1, abs=0.01)
    assert 1.1 < widened(0.97, 0.97, 0.03) < 1.6
    assert widened(0.9999, 0.9999, 0.03) == WIDEST
    assert widened(1.0, 1.0, 0.03) == 1.0  # `with_few` has widened it
    assert widened(0.8, 0.9, 0.05) == 1.0  # beyond the margin nothing is to be shown


def test_skew_takes_away_and_never_adds() -> None:
    look = Difference(0.97, 0.97, 0.01, 40.0, 200, 41)
    assert score(look._replace(skew=-0.1), 0.03) < score(look, 0.03) - 0.1
    assert score(look._replace(skew=0.1), 0.03) == score(look, 0.03)


def test_where_no_error_is_known_nothing_is_shown() -> None:
    assert score(Difference(0.9, 0.1, float("inf"), 1.0, 40, 1)) == 0
    assert score(Difference(0.9, 0.1, 0.0, 9.0, 40, 10)) == 0


def test_a_drop_of_the_margin_is_let_through_about_as_often_as_the_level_says() -> None:
    """Rare failures that lie in a few clusters: Student's t alone lets through 2 to 3 times as many."""
    random, sets, clusters, each, margin = np.random.default_rng(1), 20_000, 20, 5, 0.03
    hard = random.exponential(1.0, (sets, clusters))
    failed = [random.binomial(each, np.minimum(rate * hard, 1)) / each for rate in (0.03 + margin, 0.03)]
    values = failed[1] - failed[0]  # candidate less champion of the shares that passed
    found = of_sums(each * values, np.full(clusters, float(each)), each * values * values)
    shown = plain = 0
    limit = float(ndtri(1 - 0.005))
    means = [(1 - side.mean(axis=1)).tolist() for side in failed]
    for candidate, other, se, df, skew in zip(
        *means, found.se.tolist(), found.df.tolist(), found.skew.tolist(), strict=True
    ):
        look = Difference(candidate, other, se, df, clusters * each, clusters, skew)
        shown += score(look, margin) > limit
        plain += se > 0 and stdtr(df, -(look.value + margin) / se) < 0.005
    assert plain / sets > 2 * 0.005
    assert shown / sets < 1.4 * 0.005
