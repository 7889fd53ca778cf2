import numpy as np
import pytest
from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

from stats.boundaries import FAR, bounds, drift_for, level_for, passing
from stats.spending import crossing


def even(looks: int) -> tuple[float, ...]:
    return tuple((np.arange(1, looks + 1) / looks).tolist())


def test_one_look_is_the_normal_test() -> None:
    drift = drift_for(1, 0.025, 0.8)
    assert drift == pytest.approx(1.959964 + 0.841621, abs=1e-4)
    assert bounds((1.0,), 0.025, 0.2, drift).upper[0] == pytest.approx(1.959964, abs=1e-5)
    assert level_for(1, drift, 0.8) == pytest.approx(0.025, abs=1e-5)


@pytest.mark.parametrize("drift", [0.0, 1.5, 4.0])
def test_bounds_on_either_side_are_crossed_as_often_as_the_two_sided_sums_say(drift: float) -> None:
    share, upper = [0.2, 0.5, 1.0], [2.8, 2.4, 2.1]
    found, theirs = passing(upper, [-each for each in upper], share, drift), crossing(upper, share, drift)
    assert found.up.cumsum() == pytest.approx(theirs.upper, abs=1e-7)
    assert found.down.cumsum() == pytest.approx(theirs.lower, abs=1e-7)


@pytest.mark.parametrize(("looks", "level"), [(2, 0.025), (5, 0.025), (5, 0.0004)])
def test_upper_bounds_spend_the_level_evenly_and_lower_ones_the_miss(looks: int, level: float) -> None:
    drift = drift_for(looks, level, 0.9)
    found = bounds(even(looks), level, 0.1, drift)
    nothing = passing(found.upper, [-np.inf] * looks, even(looks), 0.0)
    assert nothing.up == pytest.approx(level / looks, rel=1e-3)
    planned = passing(found.upper, found.lower, even(looks), drift)
    assert planned.down[:-1] == pytest.approx(0.1 / looks, rel=1e-3)
    assert planned.up.sum() == pytest.approx(0.9, abs=1e-5) == found.passes
    assert planned.up.sum() + planned.down.sum() == pytest.approx(1)
    assert found.upper[-1] == found.lower[-1]


def test_as_often_as_walks_that_are_drawn() -> None:
    drift = drift_for(4, 0.01, 0.85)
    found = bounds(even(4), 0.01, 0.15, drift)
    for mean, wanted in ((drift, 0.85), (0.0, passing(found.upper, found.lower, even(4), 0.0).up.sum())):
        walks = np.random.default_rng(1).normal(mean / 4, 0.5, (200_000, 4)).cumsum(axis=1) / np.sqrt(even(4))
        above, below = walks >= found.upper, walks <= found.lower
        first = (above | below).argmax(axis=1)
        assert above[np.arange(len(walks)), first].mean() == pytest.approx(wanted, abs=0.003)


def test_a_bound_of_a_look_does_not_move_with_the_looks_after_it() -> None:
    assert bounds((0.3, 0.55, 1.0), 0.025, 0.1, 3.4).upper[0] == bounds((0.3, 1.0), 0.025, 0.1, 3.4).upper[0]


def test_an_end_that_comes_early_spends_what_is_left() -> None:
    short = bounds((0.5, 0.8), 0.025, 0.1, 3.4)
    spent = passing(short.upper, [-np.inf] * 2, (0.5, 0.8), 0.0).up.cumsum()
    assert spent == pytest.approx([0.0125, 0.025], rel=1e-4)


def test_a_screen_that_sees_nothing_lets_nearly_all_through() -> None:
    assert 0.9 < level_for(3, 0.0, 0.9) < 0.95  # the lower bound, which it does not count, takes some away
    assert level_for(5, 0.2, 0.995) > 0.98


def test_no_bound_lies_farther_out_than_makes_a_difference() -> None:
    assert bounds((1e-6, 1.0), 1e-12, 0.1, 8.0).upper[0] == FAR
    assert float(ndtri(1e-17)) > -FAR - 0.1


def test_shares_that_do_not_increase_are_refused() -> None:
    with pytest.raises(ValueError, match="must increase"):
        passing([2.0, 2.0], [0.0, 0.0], [0.5, 0.5], 0.0)
