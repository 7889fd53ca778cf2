"""Guardrails: a metric that an experiment is not meant to move, and must not harm by more than a margin."""

from math import sqrt
from typing import Literal, NamedTuple

from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

from stats.effect import Effect


class Guardrail(NamedTuple):
    """`holds`: shown to be harmed by less than the margin. `harmed`: not that, and shown to be worse. Else `open`."""

    state: Literal["holds", "harmed", "open"]
    p_within: float
    """One-sided, against a harm of the margin or more: small where the guardrail holds."""
    p_worse: float
    """One-sided, against no harm at all: small where there is one."""


def guardrail(effect: Effect, margin: float, *, higher_is_better: bool, alpha: float = 0.05) -> Guardrail:
    """Where a guardrail stands, `margin` a share of the size of the control's estimate (.02 is two percent).

    The margin moves with the control's estimate, whose error counts: the treatment is held against (1 +- margin) times
    the control. One-sided at `alpha`; looked at daily, pass the level of that look's bound for it. `open` where no unit
    differs from another. Raises ValueError for a margin below 0. Source: Wellek (2010), Testing statistical hypotheses
    of equivalence and noninferiority, section 2.2; Rothmann et al. (2003) for a margin that is a share of the control.
    """
    if margin < 0:
        raise ValueError(f"a margin of {margin:g} is below 0: it is how much harm is put up with")
    sign = -1.0 if higher_is_better else 1.0
    # Worse is up from here on. The limit is control * (1 + factor), on whichever side of it worse lies.
    factor = sign * margin if effect.control >= 0 else -sign * margin
    beyond = sign * (effect.difference - factor * effect.control)
    beyond_se = sqrt(effect.treatment_se**2 + ((1 + factor) * effect.control_se) ** 2)
    if effect.se == 0 or beyond_se == 0:
        return Guardrail("open", 1.0, 1.0)
    p_within = float(stdtr(effect.df, beyond / beyond_se))
    p_worse = float(stdtr(effect.df, -sign * effect.difference / effect.se))
    state = "holds" if p_within < alpha else "harmed" if p_worse < alpha else "open"
    return Guardrail(state, p_within, p_worse)
