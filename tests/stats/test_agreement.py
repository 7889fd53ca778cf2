"""Agreement of judges with people: known answers, widths, cover."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score  # pyright: ignore[reportMissingTypeStubs,reportUnknownVariableType]

from stats.agreement import Confusion, better_p, corrected_rate, kappa, swap_consistency


def drawn(rng: np.random.Generator, n: int, prevalence: float, right_yes: float, right_no: float) -> Confusion:
    people = rng.random(n) < prevalence
    judge = np.where(people, rng.random(n) < right_yes, rng.random(n) >= right_no)
    return Confusion.of(judge, people)


def test_kappa_is_cohens_and_stands_in_its_interval() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        people = rng.random(60) < 0.3
        judge = np.where(rng.random(60) < 0.8, people, ~people)
        found = kappa(Confusion.of(judge, people))
        assert found is not None
        assert found.value == pytest.approx(cohen_kappa_score(judge, people))
        assert found.low <= found.value <= found.high


def test_the_interval_is_fleiss_and_cohens() -> None:
    """By hand: 70 alike of 100 at even margins: kappa .4, error sqrt(.7 x .3 / 100) / .5."""
    found = kappa(Confusion(35, 15, 15, 35))
    assert found is not None
    assert found.value == pytest.approx(0.4)
    assert found.high - found.low == pytest.approx(2 * 1.96 * (0.7 * 0.3 / 100) ** 0.5 / 0.5, rel=0.02)


def test_its_width_falls_as_labels_come() -> None:
    def width(n: int) -> float:
        rng = np.random.default_rng(n)
        found = [kappa(drawn(rng, n, 0.5, 0.85, 0.85)) for _ in range(200)]
        return float(np.mean([each.high - each.low for each in found if each]))

    assert [width(n) for n in (50, 100, 200, 400)] == pytest.approx([0.39, 0.28, 0.198, 0.14], abs=0.006)


@pytest.mark.parametrize(
    ("prevalence", "right_yes", "right_no"), [(0.5, 0.85, 0.85), (0.1, 0.7, 0.95), (0.2, 0.99, 0.99)]
)
def test_the_interval_covers_at_200_labels(prevalence: float, right_yes: float, right_no: float) -> None:
    yes, no = prevalence, 1 - prevalence
    shares = (yes * right_yes, no * (1 - right_no), yes * (1 - right_yes), no * right_no)
    truth = kappa(Confusion(*(round(1e9 * share) for share in shares)))
    assert truth is not None
    rng = np.random.default_rng(3)
    found = [kappa(drawn(rng, 200, prevalence, right_yes, right_no)) for _ in range(600)]
    assert np.mean([each is not None and each.low <= truth.value <= each.high for each in found]) >= 0.925


def test_perfect_agreement_has_an_interval_and_one_answer_has_no_kappa() -> None:
    found = kappa(Confusion(10, 0, 0, 10))
    assert found is not None
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.5 < found.low < 0.9
    assert kappa(Confusion(0, 0, 0, 0)) is None
    assert kappa(Confusion(9, 0, 0, 0)) is None


def test_swaps() -> None:
    found = swap_consistency(kept=80, place=15, pairs=100)
    assert found is not None
    assert (found.share, found.place) == (0.8, 15)
    assert found.low < 0.8 < found.high
    assert swap_consistency(0, 0, 0) is None


def test_a_rate_without_the_judges_errors() -> None:
    """20.6% were called hacks by a judge that is right of 85% of hacks and of honest work; 8% are."""
    found = corrected_rate(206, 1000, Confusion(850, 150, 150, 850))
    assert found is not None
    assert found.value == pytest.approx(0.08)
    assert found.low < 0.08 < found.high


@pytest.mark.parametrize(
    ("true", "right_yes", "right_no", "n", "labels"),
    [(0.08, 0.85, 0.85, 1000, 200), (0.3, 0.9, 0.9, 500, 200), (0.02, 0.7, 0.97, 800, 100)],
)
def test_its_interval_covers(true: float, right_yes: float, right_no: float, n: int, labels: int) -> None:
    rng = np.random.default_rng(5)
    covered = estimated = 0
    for _ in range(800):
        table = drawn(rng, labels, 0.5, right_yes, right_no)
        found = corrected_rate(int(rng.binomial(n, true * right_yes + (1 - true) * (1 - right_no))), n, table)
        if found is not None:
            estimated += 1
            covered += found.low <= true <= found.high
    assert estimated > 750
    assert covered / estimated >= 0.93


def test_where_nothing_can_be_estimated() -> None:
    assert corrected_rate(5, 10, Confusion(50, 50, 50, 50)) is None, "as right as a coin"
    assert corrected_rate(5, 10, Confusion(20, 80, 80, 20)) is None, "wrong more often than right"
    assert corrected_rate(5, 10, Confusion(10, 0, 2, 0)) is None, "people called nothing no"
    assert corrected_rate(0, 0, Confusion(9, 1, 1, 9)) is None
    hardly = corrected_rate(5, 10, Confusion(6, 5, 4, 5))
    assert hardly is not None
    assert (hardly.low, hardly.high) == (0.0, 1.0)


def test_what_is_clipped_stays_in_its_interval() -> None:
    found = corrected_rate(1, 100, Confusion(45, 5, 5, 45))
    assert found is not None
    assert found.value == 0.0 == found.low
    assert found.high > 0


def test_sign_test() -> None:
    assert better_p(0, 0) == 1
    assert better_p(5, 0) == pytest.approx(1 / 32)
    assert better_p(8, 2) == pytest.approx((45 + 10 + 1) / 1024)
    assert better_p(2, 8) == pytest.approx(1013 / 1024)
