"""Does an effect fade? Each unit's first days after exposure against its later ones.

What it can't tell: whether a fading effect was novelty, or everybody learned, or the season turned (units come on
different days, which helps, but not where all came at once); what happens after the later days; anything of units that
did not stay that long. Where it finds nothing, the interval says how much fading is still possible.
"""

from math import inf, log, sqrt
from typing import NamedTuple

from scipy.special import stdtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]

from stats.arm import Arm, before, covariance_before, estimate, variance, variance_before


class Novelty(NamedTuple):
    """Differences in units of the metric; of logarithms where it was asked for relative ones (.02 is two percent)."""

    early: float
    late: float
    change: float
    """Late less early: of the other sign than `early` where the effect fades."""
    se: float
    df: float
    low: float
    high: float
    p_value: float
    """Two-sided, against no change; 1 where no unit changes otherwise than another."""


def novelty(control: Arm, treatment: Arm, *, relative: bool = False, alpha: float = 0.05) -> Novelty:
    """How the effect of `treatment` changes from early to late days after exposure.

    Of each arm only units exposed long enough for both, y over d summed over their late days, p over q over their early
    ones (equally many). Both are of the same units, so that their covariance counts. With `relative` the effects are
    differences of logarithms: right for sums that fall in both arms as people leave. Raises ValueError unless both arms
    have two units and something to divide by, early and late; with `relative`, all four estimates above 0. Source: the
    delta method on y/d - p/q, as `stats.effect`; Sadeghi et al. (2022), Novelty and primacy: a long-term estimator for
    online experiments, for comparing a unit with itself.
    """
    changes, squares, effects = [0.0, 0.0], [0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]
    for place, arm in enumerate((control, treatment)):
        if arm.n < 2 or arm.d <= 0 or arm.q <= 0:
            raise ValueError(
                f"an arm has {arm.n:g} units, and {arm.d:g} and {arm.q:g} to divide by: nothing to compare"
            )
        late, early = estimate(arm), before(arm)
        if relative and min(late, early) <= 0:
            raise ValueError(f"a relative effect needs estimates above 0, not {early:g} early and {late:g} late")
        by_late, by_early = (1 / late, 1 / early) if relative else (1.0, 1.0)
        effects[place] = [log(early), log(late)] if relative else [early, late]
        changes[place] = effects[place][1] - effects[place][0]
        square = (
            variance(arm) * by_late**2
            - 2 * covariance_before(arm) * by_late * by_early
            + variance_before(arm) * by_early**2
        )
        squares[place] = max(0.0, square) / arm.n
    change, se = changes[1] - changes[0], sqrt(sum(squares))
    parts = squares[0] ** 2 / (control.n - 1) + squares[1] ** 2 / (treatment.n - 1)
    df = se**4 / parts if parts else control.n + treatment.n - 2
    half = float(stdtrit(df, 1 - alpha / 2)) * se if se else inf
    return Novelty(
        early=effects[1][0] - effects[0][0],
        late=effects[1][1] - effects[0][1],
        change=change,
        se=se,
        df=df,
        low=change - half,
        high=change + half,
        p_value=float(2 * stdtr(df, -abs(change) / se)) if se else 1.0,
    )
