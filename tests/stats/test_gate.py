from math import inf

import numpy as np
import pytest

from stats.clustered import of_sums
from stats.eval_power import Clusters, Parts
from stats.gate import Bar, Plan, confirm, more_samples, screen
from stats.gate_plan import Live, Measured, Wanted, plan, screen_size
from stats.paired import Attempt, Difference, paired, seen
from stats.variance_parts import rerun_width

PARTS = Parts(0.002, 0.013, 0.28)
TARGET, GUARD = Bar("target", "improves"), Bar("guard", "does_not_fall", 0.05)
BARS = [Measured(TARGET, PARTS, Clusters(5)), Measured(GUARD, PARTS, Clusters(5))]
PLAN = plan(Wanted(), 2, Live(PARTS, 300, 60), BARS)


def look(value: float, samples: int, se: float | None = None) -> Difference:
    """With the error that was planned for, unless said."""
    clusters = max(samples // 5, 1)
    usual = (PARTS.clusters / clusters + (PARTS.samples + PARTS.attempts / 5) / samples) ** 0.5
    return Difference(0.5 + value, 0.5, usual if se is None else se, max(clusters - 1, 1), samples, clusters)


def course(bar: str, value: float, made: Plan = PLAN, looks: int | None = None) -> list[Difference]:
    planned = dict(made.bars)[TARGET if bar == "target" else GUARD].samples
    return [look(value, samples) for samples in planned[:looks]]


def test_bars_that_all_hold_promote() -> None:
    found = confirm(PLAN, {"target": course("target", 0.06), "guard": course("guard", 0.01)})
    assert (found.outcome, found.more_samples) == ("promote", None)
    assert [(each.bar.kind, each.holds) for each in found.found] == [("improves", True), ("does_not_fall", True)]
    assert all(each.level == PLAN.level for each in found.found)
    assert found.found[0].standing.low > 0
    assert found.found[1].standing.low > -0.05


def test_a_bar_that_is_open_asks_for_its_next_look() -> None:
    found = confirm(PLAN, {"target": course("target", 0.2, looks=1), "guard": course("guard", 0.0, looks=1)})
    assert found.outcome == "more"
    assert found.more_samples == PLAN.bars[1][1].samples[0]
    assert found.reason == "open: guard"


def test_a_candidate_that_is_no_better_is_refused_early_and_by_name() -> None:
    found = confirm(PLAN, {"target": course("target", -0.03, looks=2), "guard": course("guard", 0.0, looks=2)})
    assert (found.outcome, found.more_samples) == ("refuse", None)
    assert found.reason.startswith("target improves: not shown, -3.0 points")


def test_a_broken_guardrail_refuses_whatever_has_improved() -> None:
    found = confirm(PLAN, {"target": course("target", 0.2), "guard": course("guard", -0.05)})
    assert found.outcome == "refuse"
    assert found.reason.startswith("guard does not fall by 5 points: not shown, -5.0 points")


def test_one_that_may_be_better_is_undecided_with_a_number() -> None:
    found = confirm(PLAN, {"target": course("target", 0.028), "guard": course("guard", 0.03)})
    assert found.outcome == "undecided"
    assert found.more_samples
    assert f"{found.more_samples} more would decide" in found.reason
    # With that many, at the next place, a difference like this one is seen in four of five: one look of the usual test.
    last = found.found[0].standing.last
    drift = last.value / (last.se * (last.samples / found.more_samples) ** 0.5)
    assert drift == pytest.approx(2.638 + 0.8416, abs=0.01)  # z at .05 / 12


@pytest.mark.parametrize(("value", "se"), [(-0.01, 0.01), (0.0, 0.01), (0.02, inf), (0.02, 0.0)])
def test_no_number_decides_what_shows_nothing(value: float, se: float) -> None:
    assert more_samples(PLAN, TARGET, look(value, 400, se)) is None


def test_an_undecidable_bar_leaves_it_undecided_without_a_look() -> None:
    few = plan(Wanted(), 4, Live(PARTS, 300, 60), [Measured(TARGET, PARTS, Clusters(20, 10))])
    found = confirm(few, {})
    assert found.outcome == "undecided"
    assert "undecidable with 10 repositories" in found.reason


def test_a_bar_without_a_look_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'guard' has no look; those that have: \['target'\]"):
        confirm(PLAN, {"target": course("target", 0.06)})


def test_a_screen_goes_on_stops_or_confirms() -> None:
    assert PLAN.screen
    first, second = (look(value, PLAN.screen.samples[0]) for value in (0.01, 0.2))
    assert (screen(PLAN, []).verdict, screen(PLAN, []).more_samples) == ("more", PLAN.screen.samples[0])
    assert screen(PLAN, [first]).verdict == "more"
    assert screen(PLAN, [first]).more_samples == PLAN.screen.samples[1] - PLAN.screen.samples[0]
    assert screen(PLAN, [second]).verdict == "confirm"
    again = screen(PLAN, [first] * len(PLAN.screen.samples))  # batches that brought no new pair
    assert (again.verdict, again.more_samples) == ("more", PLAN.screen.samples[1] - PLAN.screen.samples[0])
    worse = screen(PLAN, [look(-0.1, PLAN.screen.samples[0])])
    assert worse.verdict == "stop"
    assert "unlikely to be 5 points better: -10.0 points on 38 live samples" in worse.reason


def test_looks_at_live_samples_cost_no_error() -> None:
    """Null candidates that are screened as often as one likes come to a confirmation, and no nearer to a promotion."""
    again = plan(Wanted(), 2, Live(PARTS, 3000, 600), BARS)
    assert [course.level for _, course in again.bars] == [course.level for _, course in PLAN.bars]


def test_case_49_an_eval_of_three_samples_is_underpowered_however_its_runs_come_out() -> None:
    """One checkpoint against itself, 11 evals of 3 samples: a rule of "no worse than before" flips, ours does not."""
    random = np.random.default_rng(49)
    chance = random.random((11, 3))
    wanted = screen_size(Wanted(attempts=1), PARTS, Clusters())
    assert isinstance(wanted, int)
    naive: list[list[bool]] = []
    for _ in range(2):
        passed = random.random((2, 11, 3)) < chance
        naive.append([bool(candidate.mean() >= other.mean()) for candidate, other in zip(*passed, strict=True)])
        for candidate, other in zip(*passed.tolist(), strict=True):
            mine, theirs = ([Attempt(f"s{n}", float(ok)) for n, ok in enumerate(side)] for side in (candidate, other))
            made = plan(Wanted(attempts=1), 1, Live(PARTS, 3, 3), [BARS[0]])
            found = screen(made, [seen(paired(mine, theirs))], wanted)
            assert found.verdict == "underpowered"
            assert found.more_samples == wanted - 3
            assert f"underpowered with 3 live samples: {wanted - 3} more" in found.reason
    assert sum(first != second for first, second in zip(*naive, strict=True)) >= 3
    # What luck alone does to two runs, from attempts that were repeated: far more than the five points that are wanted.
    tried = random.random((20, 11, 3)) < chance
    noise = float(tried.var(axis=0, ddof=1).mean())
    assert rerun_width(noise, 3, 1) > 10 * 0.05
    assert rerun_width(noise, wanted, 1) < 0.05


def test_equal_candidates_are_promoted_in_a_twentieth_of_lineages_however_many_are_confirmed() -> None:
    """The worst case, every one of 15 comes to a confirmation: at .05 each it would be in half of the lineages."""
    random, wrong = np.random.default_rng(7), 0
    plans = [plan(Wanted(), place, Live(PARTS, 300, 60), [BARS[0]]) for place in range(1, 16)]
    for _ in range(120):
        wrong += any(_confirmed(random, made) for made in plans)
    assert 1 <= wrong <= 13  # .047 of 120 are 5.6; of what would be drawn .003 lie outside on either side


def _confirmed(random: np.random.Generator, made: Plan) -> bool:
    """Whether a candidate that is no better passes: five samples a cluster, five attempts a sample."""
    planned = made.bars[0][1].samples
    spread = PARTS.clusters + (PARTS.samples + PARTS.attempts / 5) / 5
    means = random.normal(0, spread**0.5, planned[-1] // 5)
    looks: list[Difference] = []
    for samples in planned:
        seen_by_now = means[: samples // 5]
        found = of_sums(5 * seen_by_now, np.full(samples // 5, 5.0), 5 * seen_by_now**2)
        value, se, df = float(found.mean), float(found.se), float(found.df)
        looks.append(Difference(0.5 + value, 0.5, se, df, samples, samples // 5))
        outcome = confirm(made, {"target": looks}).outcome
        if outcome != "more":
            return outcome == "promote"
    raise AssertionError("the last look decides")
