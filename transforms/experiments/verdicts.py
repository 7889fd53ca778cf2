"""Verdicts in words: what is better, by how much, and what else holds. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from transforms.experiments.outcomes import SRM_ALPHA, Outcome

NO_PLAN = "it was started without a plan: it is watched, and never decided"


class Said(NamedTuple):
    """What an experiment says now."""

    verdict: str
    said: str | None
    """None where nobody, or only one arm, was met yet."""
    reason: str | None
    """Why there is no verdict yet."""


class Fading(NamedTuple):
    """An effect that gets smaller: a row of `fct_ab_novelty`."""

    days: int
    """In either half of a unit's days."""
    early: float
    late: float


def amount(value: float, unit: str) -> str:
    """A difference with its sign: shares in points, all others in their unit, three digits."""
    return f"{value * 100:+.2g} points" if unit == "share" else f"{value:+.3g} {unit}"


def effect_in_words(row: Outcome, unit: str, *, planned: bool) -> str:
    """`+1.2 points [0.4, 2.0]`: the interval of the plan's look where there is one, else the one for watching."""
    low, high = (
        (row.decision_low, row.decision_high) if planned and row.decision_low is not None else (row.low, row.high)
    )
    if row.difference is None:
        return "no effect known"
    if low is None or high is None:
        return f"{amount(row.difference, unit)} [no interval yet]"
    scale = 100 if unit == "share" else 1
    return f"{amount(row.difference, unit)} [{low * scale:.2g}, {high * scale:.2g}]"


def said(
    latest: Sequence[Outcome],
    fell: Mapping[str, Outcome],
    units: Mapping[str, str],
    *,
    control: str,
    has_plan: bool,
    faults: int,
    met: int,
    fades: Mapping[str, Fading],
) -> Said:
    """What the rows of the latest day say: of several treatments the one that is better, else the first.

    `fell` has the row of the day on which a treatment's verdict fell, whose effect and interval are told: later looks
    don't take it back. `units` names each metric's unit; `faults` counts the units that were left out, `met` the arms
    that have any; `fades` has the treatments whose effect on the deciding metric fades.
    """
    if met == 0:
        return Said("undecided", None, "no exposure has come yet")
    if met == 1:
        return Said("undecided", None, "there is one arm with units, and nothing to compare it with")
    deciding = [row for row in latest if row.role == "decision"]
    if not has_plan:
        return Said("undecided", f"watched beside {control}", NO_PLAN)
    if not deciding:
        return Said(
            "undecided", "no verdict: nothing of the deciding metric yet", "nothing was measured of the deciding metric"
        )
    order = {"invalid": 0, "better": 1, "worse": 2, "no difference": 3, "undecided": 4}
    row = min(deciding, key=lambda each: order.get(each.verdict, 5))
    if row.verdict == "invalid":
        return Said("invalid", f"no verdict: {row.reason}", row.reason)
    guards = [each for each in latest if each.role == "guardrail" and each.variant == row.variant]
    harmed = [each.metric for each in guards if each.verdict == "harmed"]
    words = {
        "better": f"{row.variant} is better than {control}",
        "worse": f"{row.variant} is worse than {control}",
        "no difference": f"{row.variant} and {control} do not differ",
        "undecided": f"no verdict yet on {row.variant}",
    }[row.verdict]
    on = fell.get(row.variant, row)
    told = effect_in_words(on, units[row.metric], planned=row.variant in fell)
    if row.verdict in {"better", "worse"} and on.shrunken is not None:
        told += f", of which {amount(on.shrunken, units[row.metric])} are likely to last"
    parts = [f"{words}: {row.metric} {told}", _ratio(row)]
    if fading := fades.get(row.variant):
        early, late = (amount(each, units[row.metric]) for each in (fading.early, fading.late))
        parts.append(f"it fades: {early} in the first {fading.days} days, {late} in the next")
    if harmed:
        parts.append(f"harmed: {', '.join(harmed)}")
    if guards:
        holding = sum(each.verdict == "holds" for each in guards)
        rest = len(guards) - holding - len(harmed)
        parts.append(f"{holding} of {len(guards)} guardrails hold" + (f", {rest} not known yet" if rest else ""))
    if faults:
        parts.append(f"{faults} units left out")
    verdict = "worse" if harmed and row.verdict == "better" else row.verdict
    return Said(verdict, "; ".join(parts), row.reason)


def _ratio(row: Outcome) -> str:
    return "SRM fine" if (row.srm_sequential_p or 0.0) >= SRM_ALPHA else "SRM broken"
