import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr  # pyright: ignore[reportMissingTypeStubs]

from stats.shrinkage import median_unbiased, shrunken
from stats.spending import bounds

Floats = NDArray[np.float64]

SHARE = np.linspace(0.2, 1, 5)
LIMITS = bounds(SHARE)


def stopped(drifts: Floats, seed: int) -> tuple[NDArray[np.int64], Floats, NDArray[np.bool_]]:
    """The look at which each of many experiments ended, z there, and whether it crossed."""
    random = np.random.default_rng(seed)
    steps = random.normal(drifts[:, None] / 5, np.sqrt(0.2), (len(drifts), 5))
    scores = steps.cumsum(axis=1) / np.sqrt(SHARE)
    crossed = np.abs(scores) >= LIMITS
    ever: NDArray[np.bool_] = np.logical_or.reduce(crossed, axis=1)
    look = np.where(ever, crossed.argmax(axis=1), 4).astype(np.int64)
    return look, scores[np.arange(len(look)), look], ever


def test_of_one_look_it_is_the_plain_interval() -> None:
    assert median_unbiased(3.0, 2.0, [], [7.0]) == pytest.approx(
        (3.0, 3.0 - 1.959964 * 2, 3.0 + 1.959964 * 2), abs=1e-5
    )


def test_it_is_the_mirror_of_itself() -> None:
    up = median_unbiased(3.0, 1.0, [3.0], [1.0, 2.0])
    down = median_unbiased(-3.0, 1.0, [3.0], [1.0, 2.0])
    assert (down.estimate, down.low, down.high) == pytest.approx((-up.estimate, -up.high, -up.low))


def test_two_looks_by_hand() -> None:
    """Seen: z = 2.5 at the second of two even looks. At the median, a crossing before or more than that is a half."""
    found = median_unbiased(2.5, 1.0, [2.2], [1.0, 2.0])
    draws = np.random.default_rng(31).normal(0, np.sqrt(0.5), (400_000, 2)).cumsum(axis=1)
    for drift, chance in ((found.estimate, 0.5), (found.low, 0.025), (found.high, 0.975)):
        first, second = (draws[:, 0] + drift / 2) / np.sqrt(0.5), draws[:, 1] + drift
        more = (first > 2.2) | ((np.abs(first) <= 2.2) & (second > 2.5))
        assert more.mean() == pytest.approx(chance, abs=0.003)


def test_it_is_right_as_often_as_not_and_its_interval_covers() -> None:
    drift = 2.8
    look, score, _ = stopped(np.full(800, drift), 32)
    found = [
        median_unbiased(z / SHARE[at] ** 0.5, float(SHARE[at] ** -0.5), LIMITS[:at].tolist(), SHARE[: at + 1].tolist())
        for at, z in zip(look.tolist(), score.tolist(), strict=True)
    ]
    assert np.mean([one.estimate > drift for one in found]) == pytest.approx(0.5, abs=0.05)
    assert np.mean([one.low <= drift <= one.high for one in found]) == pytest.approx(0.95, abs=0.022)
    plain = score / np.sqrt(SHARE[look])
    assert (plain > drift).mean() > 0.53
    assert np.mean([one.estimate for one in found]) < plain.mean()


def test_looks_that_bring_nothing_change_nothing() -> None:
    plain = median_unbiased(3.0, 1.0, [3.0], [1.0, 2.0])
    assert median_unbiased(3.0, 1.0, [8.0, 3.0, 9.0], [0.0, 1.0, 1.0, 2.0]) == pytest.approx(plain, abs=1e-6)


def test_shrunken_is_right_among_winners_where_effects_are_as_expected() -> None:
    effects = np.random.default_rng(33).normal(0, 3, 100_000)
    look, score, ever = stopped(effects, 34)
    se = 1 / np.sqrt(SHARE[look])
    sign = np.sign(score)
    kept = np.array([shrunken(1.0, each, 3.0).estimate for each in 1 / np.sqrt(SHARE)])[look]
    truth = (sign * effects)[ever].mean()
    assert (sign * score * se * kept)[ever].mean() / truth == pytest.approx(1, abs=0.01)
    assert (sign * score * se)[ever].mean() / truth > 1.15


def test_shrunken_by_hand() -> None:
    found = shrunken(4.0, 1.0, 1.0)
    assert found == pytest.approx((2.0, 2.0 - 1.959964 * 0.5**0.5, 2.0 + 1.959964 * 0.5**0.5), abs=1e-6)
    assert float(ndtr((found.high - found.estimate) / 0.5**0.5)) == pytest.approx(0.975)


def test_what_has_no_error_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        shrunken(1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="values of a clock"):
        median_unbiased(1.0, 1.0, [2.0], [1.0])
