"""What the days of an experiment say, from effects that are given: verdicts, their reasons, and what spoils them."""

from datetime import date, timedelta

import pytest

from stats.arm import Arm
from stats.effect import effect
from stats.sequential import Look, decisions
from transforms.experiments.outcomes import Compared, Experiment, Metric, Outcome, Plan, outcomes
from transforms.experiments.verdicts import Fading, said

DAYS = tuple(date(2026, 11, 1) + timedelta(days=day) for day in range(10))
UP = Metric("accepted", "mean", higher_is_better=True, margin=None)
SLOW = Metric("slowness", "mean", higher_is_better=False, margin=0.1)
PLAN = Plan("accepted", ("slowness",), 0.05, 2000, 10)


def arm(n: int, mean: float, sd: float = 0.5) -> Arm:
    """Units with the given mean and standard deviation."""
    return Arm.of_mean(n, n * mean, n * mean * mean + (n - 1) * sd * sd)


def compared(control: float, treatment: float, sd: float = 0.5) -> list[Compared]:
    """A hundred units an arm and day, of the given means."""
    arms = [(arm(100 * day, control, sd), arm(100 * day, treatment, sd)) for day in range(1, 11)]
    return [Compared(effect(one, other), int(other.n), int(one.n), one.d + other.d) for one, other in arms]


def experiment(
    accepted: list[Compared], slowness: list[Compared] | None = None, *, plan: Plan | None = PLAN, exposed: int = 100
) -> Experiment:
    met = {"A": [100 * day for day in range(1, 11)], "B": [exposed * day for day in range(1, 11)]}
    both = {"accepted": {"B": accepted}} | ({"slowness": {"B": slowness}} if slowness else {})
    return Experiment("e", (("A", 1.0), ("B", 1.0)), plan, DAYS, met, both)


def told(of: Experiment, metric: str = "accepted") -> list[Outcome]:
    return [row for row in outcomes(of, {"accepted": UP, "slowness": SLOW}) if row.metric == metric]


def test_a_verdict_falls_where_the_bound_of_its_look_is_crossed_and_stays() -> None:
    days = compared(0.50, 0.60)
    rows = told(experiment(days))
    looks = [Look(day.effect.difference, day.effect.se, 200.0 * (at + 1), day.weight, day.effect.df)
             for at, day in enumerate(days) if day.effect]  # fmt: skip
    # People return, for all that a mean says: the plan counts their days, 2,000 units coming evenly over ten.
    spent = [sum(200.0 * day for day in range(1, at + 2)) for at in range(10)]
    looks = [look._replace(information=at) for look, at in zip(looks, spent, strict=True)]
    expected = decisions(looks, 0.05, 2000 * 11 / 2)
    assert [row.verdict == "better" for row in rows] == [each.verdict == "higher" for each in expected]
    first = next(at for at, row in enumerate(rows) if row.verdict == "better")
    assert 0 < first < 9
    assert {row.verdict for row in rows[first:]} == {"better"}
    assert (rows[first].decision_low or 0) > 0
    assert "is asked for at this look" in (rows[first - 1].reason or "")


def test_where_less_is_better_more_is_worse() -> None:
    metric = UP._replace(higher_is_better=False)
    assert outcomes(experiment(compared(0.5, 0.7)), {"accepted": metric})[-1].verdict == "worse"


def test_a_plan_that_ends_without_a_difference_says_so() -> None:
    last = told(experiment(compared(0.5, 0.5)))[-1]
    assert (last.verdict, last.reason) == ("no difference", "the plan has ended without a difference")
    assert last.information == pytest.approx(1)


def test_arms_that_are_not_what_they_should_be_have_no_verdict() -> None:
    last = told(experiment(compared(0.5, 0.9), exposed=70))[-1]
    assert last.verdict == "invalid"
    assert "sequential SRM p = " in (last.reason or "")
    assert (last.srm_sequential_p or 1) < 0.01


def test_without_a_plan_all_is_watched_and_nothing_decided() -> None:
    rows = told(experiment(compared(0.5, 0.51), plan=None))
    assert {row.role for row in rows} == {"watched"}
    assert {row.verdict for row in rows} == {"undecided"}
    assert all(row.adjusted_p is not None and row.decision_low is None for row in rows)


def test_a_guardrail_holds_is_harmed_or_is_not_known() -> None:
    accepted = compared(0.5, 0.6)
    holds, harmed, unknown = (
        told(experiment(accepted, compared(1.0, treatment, sd)), "slowness")[-1].verdict
        for treatment, sd in ((1.0, 0.3), (1.3, 0.3), (1.03, 3.0))
    )
    assert (holds, harmed, unknown) == ("holds", "harmed", "undecided")


def test_what_a_guardrail_has_said_by_the_plans_end_stays() -> None:
    plan = PLAN._replace(units=1000)  # reached after some days of ten
    rows = told(experiment(compared(0.5, 0.5), compared(1.0, 1.0, 0.3), plan=plan), "slowness")
    ended = next(at for at, row in enumerate(rows) if (row.information or 0) >= 1)
    assert ended < 8
    assert {row.verdict for row in rows[ended:]} == {"holds"}


def test_intervals_for_watching_are_wider_than_those_of_one_look() -> None:
    day, row = compared(0.5, 0.6)[-1], told(experiment(compared(0.5, 0.6)))[-1]
    assert day.effect
    assert row.high is not None and row.low is not None
    assert row.high - row.low > 2 * 1.96 * day.effect.se


def test_three_arms_share_alpha() -> None:
    days = compared(0.5, 0.6)
    two = told(experiment(days))
    arms = (("A", 1.0), ("B", 1.0), ("C", 1.0))
    met = {name: [100 * day for day in range(1, 11)] for name, _ in arms}
    plan = PLAN._replace(units=3000)
    three = Experiment("e", arms, plan, DAYS, met, {"accepted": {"B": days, "C": compared(0.5, 0.5)}})
    rows = [row for row in outcomes(three, {"accepted": UP}) if row.variant == "B"]
    assert [row.information for row in rows] == pytest.approx([row.information for row in two])
    assert sum(row.verdict == "better" for row in rows) < sum(row.verdict == "better" for row in two)


def test_one_arm_or_no_day_is_no_outcome() -> None:
    whole = experiment(compared(0.5, 0.6))
    assert outcomes(whole._replace(arms=whole.arms[:1]), {"accepted": UP}) == []
    assert outcomes(whole._replace(days=()), {"accepted": UP}) == []


def test_a_winner_is_told_with_what_is_left_of_its_effect() -> None:
    plan = PLAN._replace(effect=0.05)
    day, row = compared(0.5, 0.6)[-1].effect, told(experiment(compared(0.5, 0.6), plan=plan))[-1]
    assert day is not None
    assert row.shrunken == pytest.approx(day.difference * 0.05**2 / (0.05**2 + day.se**2))
    words = said([row], {}, {"accepted": "share"}, control="A", has_plan=True, faults=0, met=2, fades={})
    assert ", of which +9." in (words.said or "") or ", of which +8." in (words.said or "")
    assert told(experiment(compared(0.5, 0.6)))[-1].shrunken is None


def test_a_verdict_in_words() -> None:
    rows = outcomes(experiment(compared(0.50, 0.60), compared(1.0, 1.0, 0.3)), {"accepted": UP, "slowness": SLOW})
    fell = next(row for row in rows if row.role == "decision" and row.verdict == "better")
    latest = [row for row in rows if row.is_latest]
    words = said(
        latest, {"B": fell}, {"accepted": "share", "slowness": "ms"}, control="A", has_plan=True, faults=3, met=2,
        fades={"B": Fading(7, 0.12, 0.05)},
    )  # fmt: skip
    assert words.verdict == "better"
    assert words.said is not None
    assert words.said.startswith("B is better than A: accepted +10 points [")
    assert words.said.endswith(
        "; SRM fine; it fades: +12 points in the first 7 days, +5 points in the next; 1 of 1 guardrails hold; "
        "3 units left out"
    )


@pytest.mark.parametrize(
    ("met", "has_plan", "reason"),
    [
        (0, True, "no exposure has come yet"),
        (1, True, "one arm with units"),
        (2, False, "without a plan"),
        (2, True, "nothing"),
    ],
)
def test_why_there_is_no_verdict_yet(met: int, has_plan: bool, reason: str) -> None:
    words = said([], {}, {}, control="A", has_plan=has_plan, faults=0, met=met, fades={})
    assert words.verdict == "undecided"
    assert reason in (words.reason or "")
