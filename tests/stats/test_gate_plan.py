import pytest

from stats.eval_power import Clusters, Parts, Undecidable
from stats.gate import Bar
from stats.gate_plan import UNKNOWN, Live, Measured, Wanted, plan, screen_course, screen_size
from stats.lineage import level

PARTS = Parts(0.002, 0.013, 0.28)
IMPROVES = Measured(Bar("target", "improves"), PARTS, Clusters(5))
HOLDS = Measured(Bar("guard", "does_not_fall", 0.05), PARTS, Clusters(5))
LIVE = Live(PARTS, 300, 60)


def samples(place: int, *bars: Measured, wanted: Wanted | None = None) -> list[int]:
    return [course.samples[-1] for _, course in plan(wanted or Wanted(), place, LIVE, bars).bars]


def test_every_bar_is_held_at_the_level_of_the_place() -> None:
    made = plan(Wanted(), 3, LIVE, [IMPROVES, HOLDS])
    assert made.level == level(3)
    assert [course.level for _, course in made.bars] == [level(3)] * 2
    assert [course.margin for _, course in made.bars] == [0.0, 0.05]


def test_the_parts_of_the_way_multiply_to_the_power_that_is_wanted() -> None:
    made = plan(Wanted(power=0.85), 2, LIVE, [IMPROVES, HOLDS])
    assert made.screen
    kept = 1 - made.screen.miss
    for _, course in made.bars:
        kept *= 1 - course.miss
    assert kept == pytest.approx(0.85) == made.power


def test_later_places_more_bars_and_smaller_differences_want_more() -> None:
    first = samples(1, IMPROVES)[0]
    assert samples(5, IMPROVES)[0] > 1.3 * first
    assert samples(1, IMPROVES, HOLDS)[0] > first
    assert samples(1, IMPROVES, wanted=Wanted(difference=0.025))[0] > 3.5 * first
    assert samples(1, IMPROVES, wanted=Wanted(attempts=10))[0] < first


def test_where_little_fails_a_margin_wants_more() -> None:
    assert samples(1, HOLDS._replace(score=0.96))[0] > samples(1, HOLDS)[0]


def test_looks_take_whole_clusters() -> None:
    for _, course in plan(Wanted(looks=4), 1, LIVE, [IMPROVES, HOLDS]).bars:
        assert len(course.samples) == 4
        assert all(number % 5 == 0 for number in course.samples)


def test_bars_of_the_same_samples_are_looked_at_together() -> None:
    few = Measured(Bar("gap", "hack_gap", 0.05, "target"), Parts(0.0, 0.001, 0.05), Clusters(5))
    many = IMPROVES._replace(bar=IMPROVES.bar._replace(shares="target"))
    (_, target), (_, guard), (_, gap) = plan(Wanted(), 1, LIVE, [many, HOLDS, few]).bars
    assert gap.samples == target.samples
    alone = plan(Wanted(), 1, LIVE, [many, HOLDS, few._replace(bar=few.bar._replace(shares=""))]).bars[2][1]
    assert alone.samples[-1] < target.samples[-1]
    assert guard.samples == plan(Wanted(), 1, LIVE, [IMPROVES, HOLDS, few]).bars[1][1].samples


def test_few_repositories_make_a_bar_undecidable() -> None:
    made = plan(Wanted(), 9, LIVE, [IMPROVES._replace(clusters=Clusters(20, 10)), HOLDS])
    assert [bar.name for bar, _ in made.undecidable] == ["target"]
    assert "undecidable with 10 repositories" in str(made.undecidable[0][1])
    assert made.power == 0


def test_a_screen_of_the_planned_size_lets_a_tenth_through() -> None:
    size = screen_size(Wanted(), PARTS, Clusters(5))
    assert isinstance(size, int)
    course = screen_course(Wanted(), Live(PARTS, size, size // 5))
    assert course
    assert course.level == pytest.approx(0.1, abs=0.01)
    half = screen_course(Wanted(), Live(PARTS, size // 2, size // 10))
    assert half
    assert half.level > 0.25


def test_a_live_set_in_one_cluster_screens_nothing() -> None:
    assert screen_course(Wanted(), Live(PARTS, 300, 1)) is None
    assert isinstance(screen_size(Wanted(), PARTS, Clusters(5, 1)), Undecidable)
    assert plan(Wanted(), 1, Live(PARTS, 300, 1), [IMPROVES]).power == pytest.approx(0.8)


def test_a_bar_that_no_sample_shows_is_refused() -> None:
    with pytest.raises(ValueError, match="'guard' does_not_fall has a margin of 0"):
        plan(Wanted(), 1, LIVE, [Measured(Bar("guard", "does_not_fall"), PARTS, Clusters(5))])
    with pytest.raises(ValueError, match="what improves is above 0"):
        plan(Wanted(), 1, LIVE, [IMPROVES._replace(bar=Bar("target", "improves", 0.05))])
    with pytest.raises(ValueError, match="no bar"):
        plan(Wanted(), 1, LIVE, [])


def test_without_an_earlier_comparison_more_is_asked_than_with_one() -> None:
    assert samples(1, IMPROVES._replace(parts=UNKNOWN))[0] > samples(1, IMPROVES)[0]
