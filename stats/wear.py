"""How wide an interval of a benchmark must be, after others have chosen what to submit by what it said before.

Who submits by earlier answers asks a question that hangs on the samples, and an ordinary interval is no longer right
for it. But for each course that the answers could have taken, the question is fixed before the samples are drawn: an
interval that shares its error among those courses holds for all of them at once, whoever chooses, however cleverly.
What counts is how many courses there are: an answer of one bit (better than the best until now, or not) adds few, a
number many. Shares are said in nats: a course with `spent` nats has exp(-spent) of the error.

Source: Dwork, Feldman, Hardt, Pitassi, Reingold and Roth (2015), Generalization in adaptive data analysis and holdout
reuse, section 2 (description length); Blum and Hardt (2015), The ladder (answers that say only what is better).
"""

from math import ceil, e, exp, floor, lgamma, log
from typing import NamedTuple

from scipy.special import betaincinv  # pyright: ignore[reportMissingTypeStubs]

from stats.wilson import Interval

STEP = 0.05
"""A number is told rounded to this, so that it is one of 21."""


class Uses(NamedTuple):
    """What a benchmark has answered until now."""

    decisions: int = 0
    """Answers that said only whether a checkpoint is better than the best until then."""
    better: int = 0
    """Of those, the ones that said yes."""
    looks: int = 0
    """Answers that told a number."""
    unsaid: int = 0
    """Decisions of which nobody wrote down what they said."""


def spent(before: Uses) -> float:
    """Nats that the answers `before` cost the next one: log of one over the share of the error that its course has.

    Decisions are coded by Laplace's rule: all counts of yes are alike likely, and all orders of a count, so that few
    yes among many cost little. A look costs log(21), an unsaid decision log(2). Shares of all courses sum to 1.
    Raises ValueError for more yes than decisions.
    """
    if not 0 <= before.better <= before.decisions or before.looks < 0 or before.unsaid < 0:
        raise ValueError(f"{before.better} of {before.decisions} decisions said yes, {before.looks} looks")
    told, yes = before.decisions, before.better
    orders = lgamma(told + 1) - lgamma(yes + 1) - lgamma(told - yes + 1)
    return log(told + 1) + orders + before.looks * log(1 / STEP + 1) + before.unsaid * log(2)


def level(alpha: float, nats: float) -> float:
    """The error that a test may make so that one of `alpha` holds after `nats` were spent."""
    return alpha * exp(-nats)


def interval(total: float, n: float, nats: float = 0.0, alpha: float = 0.05, *, partial: bool = False) -> Interval:
    """An interval for a mean of `n` independent scores with the sum `total` that covers with 1 - alpha after `nats`.

    Scores of 0 and 1: exact, by Clopper and Pearson. `partial` scores between cost one nat more, and are rounded away
    from the middle. An `n` that is no whole number (what clusters are worth) is rounded down, at the same mean. Raises
    ValueError unless 0 <= total <= n and n >= 1. Source: Clopper and Pearson (1934); Bentkus (2004), On Hoeffding's
    inequalities, theorem 1.2, for bounded scores.
    """
    if n < 1 or not 0 <= total <= n:
        raise ValueError(f"a sum of {total} over {n} scores")
    whole = floor(n)
    successes = total * whole / n
    tail = level(alpha, nats) / (2 * e if partial else 2)
    least, most = floor(successes + 1e-9), ceil(successes - 1e-9)
    low = float(betaincinv(least, whole - least + 1, tail)) if least else 0.0
    high = 1.0 - float(betaincinv(whole - most, most + 1, tail)) if most < whole else 1.0
    return Interval(low, high)


def width(n: float, nats: float = 0.0, alpha: float = 0.05, *, at: float = 0.5) -> float:
    """How wide that interval is where the mean is `at`, 0 to 1."""
    found = interval(at * n, n, nats, alpha)
    return found.high - found.low


def told(value: float) -> float:
    """The number that a look is told: to the nearest STEP."""
    return round(round(value / STEP) * STEP, 10)


def limit(n: float) -> float:
    """Twice the first width; of few samples half way from that to an interval that says nothing."""
    first = width(n)
    return min(2 * first, (1 + first) / 2)


def is_worn(n: float, before: Uses, sees: float | None = None) -> bool:
    """Whether the next interval is wider than the benchmark was made for: `sees`, or see `limit`."""
    return width(n, spent(before)) > (sees if sees is not None else limit(n))


def uses_left(n: float, before: Uses, sees: float | None = None, *, looks: bool = False, most: int = 1000) -> int:
    """How many more decisions that say no, or `looks`, until it is worn; `most` at most."""
    for more in range(most):
        step = (
            Uses(before.decisions, before.better, before.looks + more, before.unsaid)
            if looks
            else before._replace(decisions=before.decisions + more)
        )
        if is_worn(n, step, sees):
            return more
    return most


def effective(sizes: list[int]) -> float:
    """Independent scores that clusters of these sizes are worth if all of one are alike: (sum)^2 / sum of squares.

    The least that they can be worth: where samples of a cluster differ, the interval is on the wide side.
    Raises ValueError for none. Source: Hoeffding (1963), theorem 2, for a weighted sum.
    """
    if not sizes:
        raise ValueError("no clusters")
    return sum(sizes) ** 2 / sum(size * size for size in sizes)
