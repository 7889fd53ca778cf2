"""Looking daily without fooling oneself: a verdict falls only where z crosses a group-sequential bound.

How much alpha a look may spend goes by what was planned (units, or days: nothing that depends on the effect). How alike
two looks are goes by another clock, the variance of the summed difference, since people return and their sums grow:
see `clock`. Leaves out SRM and guardrails, without which no verdict should be shown.
"""

from collections.abc import Sequence
from math import inf
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]

from stats.arm import Arm
from stats.effect import Effect
from stats.spending import bounds, repeated_interval

Verdict = Literal["higher", "lower", "open", "none"]


class Look(NamedTuple):
    """What was known on one day."""

    difference: float
    se: float
    information: float
    """What the plan is about, up to now: units of both arms, or days. Never the effect, nor what depends on it."""
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


def decide(looks: Sequence[Look], alpha: float, planned_information: float) -> Decision:
    """The decision after the last of `looks`. Raises ValueError for none, or a plan that is not above 0."""
    if not looks:
        raise ValueError("no look, no decision")
    return decisions(looks, alpha, planned_information)[-1]


def decisions(looks: Sequence[Look], alpha: float, planned_information: float) -> list[Decision]:
    """The decision after each look, in order of time. That of a day is the same however many days follow.

    Source: Lan and DeMets (1983); Lan and DeMets (1989), Group sequential procedures: calendar versus information time,
    for the two clocks.
    """
    if planned_information <= 0:
        raise ValueError(f"planned information must be above 0: {planned_information:g}")
    if not looks:
        return []
    share = np.array([look.information for look in looks]) / planned_information
    ticks = clock([look.se for look in looks], [look.weight for look in looks])
    limits = bounds(share, alpha, ticks)
    found: list[Decision] = []
    verdict, decided = "open", None
    for number, (look, limit, done) in enumerate(zip(looks, limits.tolist(), (share >= 1).tolist(), strict=True)):
        score = normal_score(look)
        if decided is None and abs(score) >= limit:
            verdict, decided = ("higher" if score > 0 else "lower"), number
        elif decided is None and done:
            verdict, decided = "none", number
        widened = -float(stdtrit(look.df, ndtr(-limit))) if look.df < inf and limit < inf else limit
        ends = repeated_interval(look.difference, look.se, widened) if look.se > 0 else (-inf, inf)
        found.append(Decision(verdict, decided, score, limit, *ends))
    return found


def clock(se: ArrayLike, weight: ArrayLike) -> NDArray[np.float64]:
    """What two looks share: the variance of the summed difference, (se weight)^2, at its running maximum; (..., looks).

    With one value a unit, this grows with the units, as the usual information 1 / se^2 does. Where people return and
    their sums grow, 1 / se^2 may even fall, while the sum keeps adding: if what a unit adds goes on as it began, or
    without regard to that, then z at two looks is correlated at least as sqrt(clock / later clock), and bounds made
    with that are valid (`stats.spending.bounds`). What adds against what was before (who has converted can't again)
    wants a fixed window after exposure instead, in which each unit counts once it is through it.
    """
    variance = (np.asarray(se, dtype=np.float64) * np.asarray(weight, dtype=np.float64)) ** 2
    return np.maximum.accumulate(variance, axis=-1)


def normal_score(look: Look) -> float:
    """z with the tail that Student's t has: three units with t = 9 are no nine sigmas. 0 where no unit differs."""
    if look.se == 0:
        return 0.0
    t = look.difference / look.se
    if look.df == inf:
        return t
    score = -float(ndtri(stdtr(look.df, -abs(t))))
    return score if t > 0 else -score
