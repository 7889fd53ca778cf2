"""Looking daily without fooling oneself: a verdict falls only where z crosses a group-sequential bound.

How much alpha a look may spend goes by what was planned, never by the effect: units where each gives one value, else
unit-days (the sum over days of the units exposed by then), since what returning people do comes late. How alike two
looks are goes by `stats.clock`. Leaves out SRM and guardrails, without which no verdict should be shown.
"""

from collections.abc import Sequence
from math import copysign, inf
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]

from stats.arm import Arm
from stats.clock import clock
from stats.effect import Effect
from stats.spending import bounds, repeated_interval

Verdict = Literal["higher", "lower", "open", "none"]


class Look(NamedTuple):
    """What was known on one day."""

    difference: float
    se: float
    information: float
    """What the plan is about, up to now: units of both arms, or their unit-days. Nothing that depends on the effect."""
    weight: float
    """What the sums were divided by: units for a mean, the denominators of both arms for a ratio."""
    df: float = inf

    @classmethod
    def of(cls, effect: Effect, control: Arm, treatment: Arm, information: float | None = None) -> Self:
        """The look of two arms, `information` their units unless said."""
        units = control.n + treatment.n if information is None else information
        return cls(effect.difference, effect.se, units, control.d + treatment.d, effect.df)


class Decision(NamedTuple):
    """What may be said after a look, and what it rests on."""

    verdict: Verdict
    """The treatment is `higher` or `lower` (which of them is better, the metric knows), `open` before the planned end,
    `none` from there on. What has fallen stands: later looks don't take it back."""
    decided: int | None
    """The look, from 0, at which it fell: the first to cross, or the planned end."""
    z: float
    bound: float
    """Infinite after the planned end: all of alpha is spent."""
    low: float
    """The repeated confidence interval: such intervals hold at all looks together. Infinite where the bound is."""
    high: float


def decide(looks: Sequence[Look], alpha: float, planned_information: float, ticks: ArrayLike | None = None) -> Decision:
    """The decision after the last of `looks`. Raises ValueError for none, or a plan that is not above 0."""
    if not looks:
        raise ValueError("no look, no decision")
    return decisions(looks, alpha, planned_information, ticks)[-1]


def decisions(
    looks: Sequence[Look], alpha: float, planned_information: float, ticks: ArrayLike | None = None
) -> list[Decision]:
    """The decision after each look, in order of time. That of a day is the same however many days follow.

    `ticks` (looks,) is the clock, by default `stats.clock.clock` of the looks. Raises ValueError for a plan that is not
    above 0. Source: Lan and DeMets (1983); Lan and DeMets (1989), Group sequential procedures: calendar versus
    information time, for the two clocks.
    """
    return decisions_of_many([looks], alpha, [planned_information], [ticks])[0]


def decisions_of_many(
    series: Sequence[Sequence[Look]],
    alpha: float,
    plans: Sequence[float],
    ticks: Sequence[ArrayLike | None] | None = None,
) -> list[list[Decision]]:
    """`decisions` of each of many series, each with its plan, in a tenth of the time that one by one would take."""
    for plan in plans:
        if plan <= 0:
            raise ValueError(f"planned information must be above 0: {plan:g}")
    longest = max((len(looks) for looks in series), default=0)
    share, clocks = np.zeros((len(series), longest)), np.zeros((len(series), longest))
    for row, (looks, plan) in enumerate(zip(series, plans, strict=True)):
        if not looks:
            continue
        # Filled up with the last look: what follows changes nothing before it.
        share[row] = np.pad([look.information / plan for look in looks], (0, longest - len(looks)), mode="edge")
        given = ticks[row] if ticks else None
        own = clock([look.se for look in looks], [look.weight for look in looks]) if given is None else given
        clocks[row] = np.pad(np.asarray(own, dtype=np.float64), (0, longest - len(looks)), mode="edge")
    limits = bounds(share, alpha, clocks)
    return [
        _decided(looks, limits[row, : len(looks)].tolist(), (share[row] >= 1).tolist())
        for row, looks in enumerate(series)
    ]


def normal_score(look: Look) -> float:
    """z with the tail that Student's t has: three units with t = 9 are no nine sigmas. 0 where no unit differs."""
    if look.se == 0:
        return 0.0
    t = look.difference / look.se
    if look.df == inf:
        return t
    tail = float(stdtr(look.df, -abs(t)))
    if tail < 1e-300:  # no tail can be told from it, and t is as good
        return t
    return copysign(float(ndtri(tail)), t)


def _decided(looks: Sequence[Look], limits: list[float], ended: list[bool]) -> list[Decision]:
    verdict, decided = "open", None
    found: list[Decision] = []
    for number, look in enumerate(looks):
        score, limit = normal_score(look), limits[number]
        if decided is None and abs(score) >= limit:
            verdict, decided = ("higher" if score > 0 else "lower"), number
        elif decided is None and ended[number]:
            verdict, decided = "none", number
        widened = -float(stdtrit(look.df, ndtr(-limit))) if look.df < inf and limit < inf else limit
        ends = repeated_interval(look.difference, look.se, widened) if look.se > 0 else (-inf, inf)
        found.append(Decision(verdict, decided, score, limit, *ends))
    return found
