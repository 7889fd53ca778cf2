"""Whether a checkpoint takes the champion's place: a screen on live samples, then a confirmation on fresh ones.

The screen spends no error, so it may be looked at freely: what it says is only whether a confirmation is worth its
samples. A confirmation takes a place in its lineage, and what that place may spend (`stats.lineage`); every bar is held
at that level: the improvement, each guardrail, the hack gap. Since all must hold, a candidate that breaks one is
promoted no oftener than that bar errs. Differences are paired and clustered (`stats.paired`); how many samples each
wants is planned by `stats.gate_plan`. The decision is a pure function of plan and looks: the simulation of
`benchmarks.evals` and the product call the same. Leaves out where samples come from, and who is compared with whom.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final, Literal, NamedTuple

from scipy.special import ndtri, stdtr  # pyright: ignore[reportMissingTypeStubs]

from stats.course import Course, Standing, follow
from stats.eval_power import Undecidable
from stats.lineage import level
from stats.paired import Difference

Kind = Literal["improves", "does_not_fall", "hack_gap"]
Screening = Literal["confirm", "stop", "more", "underpowered"]
Outcome = Literal["promote", "refuse", "undecided", "more"]

DULL: Final = 0.5
"""A screen that lets more than this share of no-better candidates through screens nothing."""

EXCLUDED: Final = 0.01
"""One-sided. A bar that is not shown, and could hardly look like this were the planned effect there, has failed; one
that could lacks samples."""


class Bar(NamedTuple):
    """What must hold. `improves`: above 0. The others: not worse than the champion by `margin` or more.

    Differences are always candidate less champion with more being better: of a hack gap (lenient less strict) pass the
    champion's less the candidate's, so that a gap that grew is below 0.
    """

    name: str
    """The eval's key, and more where one eval has several bars."""
    kind: Kind
    margin: float = 0.0
    shares: str = ""
    """Bars that name the same read the same samples, and are looked at together (a hack gap and what must improve);
    empty: alone."""


class Plan(NamedTuple):
    """What one candidate's confirmation is planned to be: made before its fresh samples are seen."""

    place: int
    level: float
    difference: float
    """The improvement that the power is for."""
    power: float
    """Of the whole procedure, screen included; below what was wanted where the live set is small."""
    attempts: int
    """A sample, on each side."""
    screen: Course | None
    """None: the live set is too small to tell anything, and nothing is screened."""
    bars: tuple[tuple[Bar, Course], ...]
    undecidable: tuple[tuple[Bar, Undecidable], ...] = ()
    """Bars that no number of samples decides, in the clusters that there are."""


class Screened(NamedTuple):
    """What the live samples say so far."""

    verdict: Screening
    standing: Standing | None
    more_samples: int | None
    """How many more live samples are wanted: until the next look, or for a screen that tells anything."""
    reason: str


class Found(NamedTuple):
    """One bar, as the evidence of a decision shows it."""

    bar: Bar
    standing: Standing
    level: float
    holds: bool
    more_samples: int | None
    """Open: fresh samples until its next look. Not shown: fresh ones that would decide it at the next place, were the
    difference what it looks like. None where it is decided, or no number would."""
    reason: str


class Verdict(NamedTuple):
    """What the confirmation says: `refuse` names a bar that failed, `undecided` one that lacks samples."""

    outcome: Outcome
    found: tuple[Found, ...]
    more_samples: int | None
    reason: str


def screen(plan: Plan, looks: Sequence[Difference], wanted: int | None = None) -> Screened:
    """Whether the candidate is worth a confirmation, from its looks at the live set; the last one may be in between.

    `wanted`: how many live samples a screen that tells something has, to be named where there are fewer.
    """
    course = plan.screen
    have = looks[-1].samples if looks else 0
    if course is None or course.level > DULL:
        more = None if wanted is None else max(wanted - have, 0)
        named = "" if more is None else f": {more} more would tell {100 * plan.difference:g} points from noise"
        return Screened("underpowered", None, more, f"underpowered with {have} live samples{named}")
    if not looks:
        return Screened("more", None, course.samples[0], "no look yet")
    standing = follow(course, looks)
    seen = f"{_points(standing.last.value)} on {standing.last.samples} live samples"
    if standing.state == "shown":
        return Screened("confirm", standing, None, f"worth a confirmation: {seen}")
    if standing.state == "open":
        return Screened("more", standing, _until_next(course, standing), f"open: {seen}")
    limit = f"z {standing.z:.2f}, {standing.lower:.2f} would go on"
    return Screened("stop", standing, None, f"unlikely to be {100 * plan.difference:g} points better: {seen} ({limit})")


def confirm(plan: Plan, looks: Mapping[str, Sequence[Difference]]) -> Verdict:
    """The decision, from the looks at fresh samples by bar name; `more` until every bar is shown or one has ended.

    Raises ValueError where a bar has no look, unless it is undecidable.
    """
    for bar, why in plan.undecidable:
        return Verdict("undecided", (), None, f"{bar.name} {bar.kind}: {why}")
    found: list[Found] = []
    for bar, course in plan.bars:
        if not looks.get(bar.name):
            raise ValueError(f"bar {bar.name!r} has no look; those that have: {sorted(looks)}")
        found.append(_found(plan, bar, course, follow(course, looks[bar.name])))
    failed = [each for each in found if each.standing.state == "futile"] or [
        each for each in found if each.standing.state == "short"
    ]
    if not failed:
        if all(each.holds for each in found):
            return Verdict("promote", tuple(found), None, f"all {len(found)} bars hold at place {plan.place}")
        missing = [each for each in found if not each.holds]
        following = max(each.more_samples or 0 for each in missing)
        return Verdict("more", tuple(found), following, f"open: {', '.join(each.bar.name for each in missing)}")
    wants = [each.more_samples for each in failed]
    decided = next((each for each in failed if each.more_samples is None), None)
    if decided:
        return Verdict("refuse", tuple(found), None, decided.reason)
    return Verdict("undecided", tuple(found), max(want or 0 for want in wants), failed[0].reason)


def _found(plan: Plan, bar: Bar, course: Course, standing: Standing) -> Found:
    last = standing.last
    seen = (
        f"{_points(last.value)} ({_points(standing.low)} to {_points(standing.high)}) on {last.samples} fresh samples"
    )
    claim = {"improves": "improves", "does_not_fall": "does not fall", "hack_gap": "has no wider hack gap"}[bar.kind]
    against = f" by {100 * bar.margin:g} points" if bar.kind != "improves" else ""
    name = f"{bar.name} {claim}{against}"
    if standing.state == "shown":
        return Found(bar, standing, course.level, True, None, f"{name}: {seen}")
    if standing.state == "open":
        return Found(bar, standing, course.level, False, _until_next(course, standing), f"{name}: open, {seen}")
    more = None if _ruled_out(plan, bar, last) else more_samples(plan, bar, last)
    way = "" if more is None else f"; {more} more would decide, were that the truth"
    return Found(bar, standing, course.level, False, more, f"{name}: not shown, {seen}{way}")


def more_samples(plan: Plan, bar: Bar, last: Difference) -> int | None:
    """Fresh samples for a confirmation at the next place, were the truth what was seen; None where no number would."""
    effect = last.value + bar.margin
    if effect <= 0 or not 0 < last.se < float("inf"):
        return None
    z = float(ndtri(1 - level(plan.place + 1, plan.level * plan.place * (plan.place + 1))) + ndtri(plan.power))
    return ceil(last.samples * (z * last.se / effect) ** 2)


def _until_next(course: Course, standing: Standing) -> int:
    """Samples until the next planned look of a comparison that is open."""
    return next(planned for planned in course.samples if planned > standing.last.samples) - standing.last.samples


def _ruled_out(plan: Plan, bar: Bar, last: Difference) -> bool:
    """Whether what power was planned for is as good as excluded: the wanted improvement, or no fall at all."""
    if not 0 < last.se < float("inf"):
        return False
    planned = plan.difference if bar.kind == "improves" else 0.0
    return float(stdtr(last.df, (last.value - planned) / last.se)) < EXCLUDED


def _points(value: float) -> str:
    return f"{100 * value:+.1f} points"
