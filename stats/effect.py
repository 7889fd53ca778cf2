"""How a treatment differs from the control, from the sums of two arms: Welch's test, the delta method, CUPED.

For a day that was fixed before. Looked at daily it calls a winner in a quarter of A/A tests: `stats.sequential` decides
and `stats.always_valid` watches.
"""

from math import inf, nan, sqrt
from typing import NamedTuple

from scipy.special import stdtr, stdtrit  # pyright: ignore[reportMissingTypeStubs]

from stats.arm import Arm, before, covariance_before, estimate, merged, variance, variance_before
from stats.wilson import Interval


class Effect(NamedTuple):
    """Treatment against control, in units of the metric but for `relative` and its error."""

    control: float
    """The estimate: y over d, with what the time before exposure explains taken out where that was asked for."""
    treatment: float
    difference: float
    se: float
    df: float
    """Degrees of freedom of `se`, by Welch and Satterthwaite."""
    relative: float
    """The difference over the size of the control's estimate; nan where that is 0."""
    relative_se: float
    control_se: float
    treatment_se: float


def effect(control: Arm, treatment: Arm, *, cuped: bool = False) -> Effect:
    """The difference between two arms, and the relative one, each with its standard error.

    With `cuped` theta times what the unit's past says is taken from each estimate, theta from both arms together, and
    for ratios by the gradient of y/d - theta p/q in all four sums. Raises ValueError unless both arms have two units
    and something to divide by. Sources: Welch (1947); Deng, Xu, Kohavi and Walker (2013), Improving the sensitivity of
    online controlled experiments, section 3; Deng, Knoblich and Lu (2018), sections 3.1 and 4.
    """
    for name, arm in (("control", control), ("treatment", treatment)):
        if arm.n < 2 or arm.d <= 0:
            raise ValueError(f"the {name} has {arm.n:g} units and a denominator of {arm.d:g}: nothing to compare")
    theta = centre = 0.0
    if cuped and control.q and treatment.q:
        both = merged((control, treatment))
        spread = variance_before(both)
        theta, centre = (covariance_before(both) / spread, before(both)) if spread > 0 else (0.0, 0.0)
    values, squares = [0.0, 0.0], [0.0, 0.0]
    for place, arm in enumerate((control, treatment)):
        values[place] = estimate(arm) - theta * (before(arm) - centre)
        adjusted = variance(arm) - 2 * theta * covariance_before(arm) + theta * theta * variance_before(arm)
        squares[place] = max(0.0, adjusted) / arm.n
    square = squares[0] + squares[1]
    parts = squares[0] ** 2 / (control.n - 1) + squares[1] ** 2 / (treatment.n - 1)
    size = abs(values[0])
    return Effect(
        control=values[0],
        treatment=values[1],
        difference=values[1] - values[0],
        se=sqrt(square),
        df=square * square / parts if parts else control.n + treatment.n - 2,
        relative=(values[1] - values[0]) / size if size else nan,
        relative_se=sqrt(squares[1] + squares[0] * (values[1] / size) ** 2) / size if size else nan,
        control_se=sqrt(squares[0]),
        treatment_se=sqrt(squares[1]),
    )


def p_value(effect: Effect) -> float:
    """Two-sided, by Student's t. 1 where no unit differs from another: then nothing is known of the spread."""
    if effect.se == 0:
        return 1.0
    return float(2 * stdtr(effect.df, -abs(effect.difference) / effect.se))


def interval(effect: Effect, alpha: float = 0.05) -> Interval:
    """Both ends for the difference; infinite where no unit differs from another."""
    return _around(effect.difference, effect.se, effect.df, alpha)


def relative_interval(effect: Effect, alpha: float = 0.05) -> Interval:
    """Both ends for the relative effect, by the delta method; to be shown, never to decide by.

    On one public pair of arms the difference has p = .020 and the relative effect p = .062: a control that happens to
    be low widens this one. A verdict that took whichever is kinder would have both errors, so it goes by the
    difference alone. Infinite where the control's estimate is 0. Source: Deng, Knoblich and Lu (2018), section 3.2.
    """
    if effect.relative != effect.relative:
        return Interval(-inf, inf)
    return _around(effect.relative, effect.relative_se, effect.df, alpha)


def _around(centre: float, se: float, df: float, alpha: float) -> Interval:
    if se == 0:
        return Interval(-inf, inf)
    half = float(stdtrit(df, 1 - alpha / 2)) * se
    return Interval(centre - half, centre + half)
