import pytest

from stats.lineage import level, spent


def test_all_places_together_spend_the_budget_and_no_more() -> None:
    assert sum(level(place) for place in range(1, 100_000)) == pytest.approx(0.05, rel=1e-4)
    assert sum(level(place) for place in range(1, 41)) == pytest.approx(spent(40))


def test_a_place_takes_its_share_of_what_is_left() -> None:
    for place in range(1, 50):
        assert level(place, 0.1) == pytest.approx((0.1 - spent(place - 1, 0.1)) / (place + 1))


def test_there_is_no_place_before_the_first() -> None:
    assert spent(0) == 0
    with pytest.raises(ValueError, match="place 0"):
        level(0)
