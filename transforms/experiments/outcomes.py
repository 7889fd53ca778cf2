"""What each day's end says of an experiment: effects with intervals, SRM, guardrails, and whether there is a verdict.

Pure: from sufficient statistics to rows. A decision metric is decided by a plan, in looks whose bounds were settled
before (`stats.sequential`); all others are watched with intervals that hold at every look (`stats.always_valid`).
Leaves out how effects are made (`transforms.experiments.compared`) and the words (`transforms.experiments.verdicts`).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate
from math import isfinite
from typing import Literal, NamedTuple

from scipy.special import ndtr  # pyright: ignore[reportMissingTypeStubs]

from stats.always_valid import half_width, p_value, rho
from stats.effect import Effect, relative_interval
from stats.multiple import benjamini_hochberg
from stats.noninferiority import guardrail
from stats.sequential import Decision, Look, decisions
from stats.shrinkage import shrunken
from stats.srm import sequential_srm, srm

SRM_ALPHA = 0.01
"""Of the sequential test: under the right weights one experiment in a hundred is ever called broken, however long it
runs."""
WATCHED_UNITS = 10_000
"""Where always-valid intervals are narrowest, when no plan says how many units there will be."""
ALPHA = 0.05
COUNTED_ONCE = frozenset({"proportion", "retention"})
"""Kinds of which a unit gives one value, once its days are over."""
NOTHING_NEW = "nothing new since the look before, or too early to spend anything"
UNREACHABLE = 8.0
"""A bound that says: this look spends nothing."""

Role = Literal["decision", "guardrail", "watched"]
Verdict = Literal["better", "worse", "no difference", "holds", "harmed", "undecided", "invalid"]


class Plan(NamedTuple):
    """What was settled before the start."""

    metric: str
    guardrails: tuple[str, ...]
    alpha: float
    units: int | None
    days: int
    effect: float | None = None
    """The one that is to be found."""


class Metric(NamedTuple):
    """Of a metric, what a verdict goes by."""

    name: str
    kind: str
    higher_is_better: bool
    margin: float | None


class Compared(NamedTuple):
    """A treatment beside the control on one metric, as of the end of a day."""

    effect: Effect | None
    """None where there is too little to compare."""
    units: int
    control_units: int
    weight: float
    """What the sums were divided by, in both arms together: `stats.sequential.Look.weight`."""


class Experiment(NamedTuple):
    """One experiment, as of the end of each day."""

    experiment_id: str
    arms: tuple[tuple[str, float], ...]
    """(variant, weight), the control first."""
    plan: Plan | None
    days: tuple[date, ...]
    """From the first exposure on, one after another."""
    exposed: Mapping[str, Sequence[int]]
    """Variant -> units that had met it by the end of each day."""
    compared: Mapping[str, Mapping[str, Sequence[Compared]]]
    """Metric -> treatment -> the comparison by day, of metrics that anything was measured of."""


class Outcome(NamedTuple):
    """A row of `fct_ab_outcomes`."""

    experiment_id: str
    metric: str
    variant: str
    day: date
    is_latest: bool
    role: Role
    units: int
    control_units: int
    estimate: float | None
    control_estimate: float | None
    difference: float | None
    low: float | None
    high: float | None
    relative: float | None
    relative_low: float | None
    relative_high: float | None
    p: float | None
    adjusted_p: float | None
    decision_low: float | None
    decision_high: float | None
    shrunken: float | None
    """Of the deciding metric: what is left of the difference, which daily looks make too large (`stats.shrinkage`)."""
    information: float | None
    srm_p: float | None
    srm_sequential_p: float | None
    verdict: Verdict
    reason: str | None


def outcomes(experiment: Experiment, metrics: Mapping[str, Metric]) -> list[Outcome]:
    """One row per metric, treatment and day, of every metric that anything was measured of."""
    if len(experiment.arms) < 2 or not experiment.days:
        return []
    ratios = _ratios(experiment)
    rows: list[Outcome] = []
    for variant, weight in experiment.arms[1:]:
        for name, metric in metrics.items():
            if variant in experiment.compared.get(name, {}):
                rows += _of_metric(experiment, metric, variant, weight, ratios)
    return list(_adjusted(rows, metrics))


def _ratios(experiment: Experiment) -> list[tuple[float, float]]:
    """(p of one look, p that holds at all looks, at its least so far) of the sample ratio, by day."""
    weights = [weight for _, weight in experiment.arms]
    found: list[tuple[float, float]] = []
    least = 1.0
    for at in range(len(experiment.days)):
        counts = [experiment.exposed[variant][at] for variant, _ in experiment.arms]
        least = min(least, sequential_srm(counts, weights))
        found.append((srm(counts, weights), least))
    return found


def _share(experiment: Experiment, weight: float) -> float:
    """What part of all units the control and an arm of `weight` have."""
    return (experiment.arms[0][1] + weight) / sum(each for _, each in experiment.arms)


def _information(
    experiment: Experiment, metric: Metric, variant: str, weight: float, days: Sequence[Compared]
) -> tuple[list[float], float]:
    """How far the plan is by each day, and how far it goes.

    In units where each gives one value; in unit-days where what people do keeps adding (`stats.sequential` says why),
    the plan's units coming evenly over its days; in days where no plan says how many units.
    """
    plan = experiment.plan
    if plan is None or plan.units is None:
        return [float(at + 1) for at in range(len(experiment.days))], float(plan.days if plan else 1)
    planned = plan.units * _share(experiment, weight)
    if metric.kind in COUNTED_ONCE:
        return [float(day.units + day.control_units) for day in days], planned
    exposed = zip(experiment.exposed[experiment.arms[0][0]], experiment.exposed[variant], strict=True)
    return [float(sum_) for sum_ in accumulate(map(sum, exposed))], planned * (plan.days + 1) / 2


def _alpha(experiment: Experiment) -> float:
    """Of the plan, in equal parts for each treatment (Bonferroni): one of three must not win by being one of three."""
    return (experiment.plan.alpha if experiment.plan else ALPHA) / (len(experiment.arms) - 1)


def _of_metric(
    experiment: Experiment,
    metric: Metric,
    variant: str,
    weight: float,
    ratios: Sequence[tuple[float, float]],
) -> Iterator[Outcome]:
    plan = experiment.plan
    role: Role = "watched"
    if plan and metric.name == plan.metric:
        role = "decision"
    elif plan and metric.name in plan.guardrails:
        role = "guardrail"
    days = experiment.compared[metric.name][variant]
    information, planned = _information(experiment, metric, variant, weight, days)
    decided = _decided(days, information, planned, _alpha(experiment)) if role != "watched" else {}
    tuned = rho(ALPHA, plan.units * _share(experiment, weight) if plan and plan.units else WATCHED_UNITS)
    stands: tuple[Verdict, str | None] | None = None
    for at, day in enumerate(experiment.days):
        found, units, control_units, _ = days[at]
        verdict, reason = _verdict(metric, role, found, decided.get(at), ratios[at][1])
        if role == "guardrail" and verdict != "invalid":
            # A look that has nothing to spend, after the plan's end above all, leaves what the one before has said.
            if reason == NOTHING_NEW and stands is not None:
                verdict, reason = stands
            stands = verdict, reason
        n = units + control_units
        half = half_width(n, found.se**2, tuned) if found and found.se > 0 else None
        relative = relative_interval(found) if found else None
        decision = decided.get(at) if role == "decision" else None
        yield Outcome(
            experiment_id=experiment.experiment_id,
            metric=metric.name,
            variant=variant,
            day=day,
            is_latest=at == len(experiment.days) - 1,
            role=role,
            units=units,
            control_units=control_units,
            estimate=found.treatment if found else None,
            control_estimate=found.control if found else None,
            difference=found.difference if found else None,
            low=found.difference - half if found and half is not None else None,
            high=found.difference + half if found and half is not None else None,
            relative=_finite(found.relative) if found else None,
            relative_low=_finite(relative.low) if relative else None,
            relative_high=_finite(relative.high) if relative else None,
            p=p_value(n, found.difference, found.se**2, tuned) if found else None,
            adjusted_p=None,
            decision_low=_finite(decision.low) if decision else None,
            decision_high=_finite(decision.high) if decision else None,
            shrunken=_shrunken(found, plan.effect) if plan and role == "decision" else None,
            information=information[at] / planned if plan else None,
            srm_p=ratios[at][0],
            srm_sequential_p=ratios[at][1],
            verdict=verdict,
            reason=reason,
        )


def _shrunken(found: Effect | None, expected: float | None) -> float | None:
    if found is None or not expected or found.se <= 0:
        return None
    return shrunken(found.difference, found.se, expected).estimate


def _decided(
    days: Sequence[Compared], information: Sequence[float], planned: float, alpha: float
) -> dict[int, Decision]:
    """Day -> the decision after its look, of days on which there was something to compare."""
    known = [(at, day.effect, day.weight) for at, day in enumerate(days) if day.effect is not None]
    looks = [Look(each.difference, each.se, information[at], over, each.df) for at, each, over in known]
    return dict(zip([at for at, _, _ in known], decisions(looks, alpha, planned), strict=True))


def _verdict(
    metric: Metric, role: Role, found: Effect | None, decision: Decision | None, ratio_p: float
) -> tuple[Verdict, str | None]:
    """The verdict of a day, and the reason where there is none yet."""
    if ratio_p < SRM_ALPHA:
        return "invalid", f"the arms have not the units that their weights say (sequential SRM p = {ratio_p:.2g})"
    if found is None:
        return "undecided", "fewer than two units an arm have anything of this metric"
    if role == "decision" and decision is not None:
        if decision.verdict in {"higher", "lower"}:
            return ("better" if (decision.verdict == "higher") == metric.higher_is_better else "worse"), None
        if decision.verdict == "none":
            return "no difference", "the plan has ended without a difference"
        if decision.bound >= UNREACHABLE:
            return "undecided", NOTHING_NEW
        return "undecided", f"z = {decision.z:.2f}, and {decision.bound:.2f} is asked for at this look"
    if role == "guardrail":
        if metric.margin is None:
            return "undecided", "it has no margin, so that nothing says how much harm is put up with"
        if decision is None or decision.bound >= UNREACHABLE:
            return "undecided", NOTHING_NEW
        level = float(ndtr(-decision.bound))
        state = guardrail(found, metric.margin, higher_is_better=metric.higher_is_better, alpha=level).state
        if state == "open":
            return "undecided", f"neither within {metric.margin:.0%} of the control nor shown to be worse"
        return state, None
    return "undecided", None


def _adjusted(rows: Sequence[Outcome], metrics: Mapping[str, Metric]) -> Iterator[Outcome]:
    """With p adjusted over what is watched in an experiment on one day (Benjamini-Hochberg), and verdicts by that."""
    by_day: dict[date, list[int]] = {}
    for at, row in enumerate(rows):
        if row.role == "watched" and row.p is not None:
            by_day.setdefault(row.day, []).append(at)
    adjusted: dict[int, float] = {}
    for places in by_day.values():
        adjusted |= dict(zip(places, benjamini_hochberg([rows[at].p or 0.0 for at in places]), strict=True))
    for at, row in enumerate(rows):
        p = adjusted.get(at)
        if p is None:
            yield row
        elif p > ALPHA or row.verdict == "invalid":
            yield row._replace(adjusted_p=p)
        else:
            higher = (row.difference or 0.0) > 0
            verdict = "better" if higher == metrics[row.metric].higher_is_better else "worse"
            yield row._replace(adjusted_p=p, verdict=verdict)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
