"""How long an experiment on a metric must run: from what units did in the last weeks, or from what one says they do."""

from typing import NamedTuple

from ingest.home import Home
from ingest.reader import query
from models.errors import TerminalError
from stats.arm import Arm, estimate, variance
from stats.power import days, detectable, inflation, units_per_arm

WEEKS = (7, 14, 28, 56)
"""Days for which a plan says what could be found."""

PAST = """
with units as (
    select unit_key, cast(sum(y) as double) as y, cast(sum(d) as double) as d, min(day) as first_day
    from int_unit_days
    where metric = ? and unit_kind = 'person' and day > (select max(day) - ? from int_unit_days)
    group by unit_key
)
select count(*), sum(y), sum(d), sum(y * y), sum(y * d), sum(d * d), count(*) / ?, quantile_cont(y, 0.99) from units
"""


class Baseline(NamedTuple):
    """What a unit does without any experiment."""

    value: float
    variance: float
    """Of one unit."""
    a_day: float | None
    """New units a day; None where nobody said."""
    high: float | None = None
    """What one unit in a hundred has more than: a `cap` for a mean, settled before anybody meets a variant."""


class Answer(NamedTuple):
    """What a plan asks for."""

    units: int
    """In all arms together."""
    days: int | None
    inflation: float
    """What looking daily costs: so many times the units of one look at the end."""
    detectable: dict[int, float]
    """Days -> the least effect that they find."""


def baseline(home: Home, metric: str, kind: str, window: int) -> Baseline:
    """What persons did on `metric` in the last `window` days. Raises TerminalError where nothing is known."""
    ((n, y, d, yy, yd, dd, a_day, high),) = query(home, PAST, (metric, window, window)).rows
    if n < 2 or (kind == "ratio" and not d):
        raise TerminalError(
            f"the warehouse knows no past of {metric!r}: days of persons are kept from the first experiment on. "
            "Say it yourself: --value and --sd (of a share --value is enough), and --daily new units a day"
        )
    if kind == "ratio":
        arm = Arm(n, y, d, 0, 0, yy, yd, 0, 0, dd, 0, 0, 0, 0, 0)
    elif kind == "mean":
        arm = Arm.of_mean(n, y, yy)
    else:
        raise TerminalError(f"the past of a {kind} is not kept as such: say it yourself with --value, --sd and --daily")
    return Baseline(estimate(arm), variance(arm), float(a_day), high if kind == "mean" else None)


def answer(base: Baseline, effect: float, *, alpha: float, power: float, arms: int, planned: int) -> Answer:
    """Units and days for the absolute `effect`, looked at on each of `planned` days. Raises TerminalError for none."""
    if not effect:
        raise TerminalError("an effect of 0 is found by nobody: say the least one that would matter, --effect")
    each = units_per_arm(base.variance, effect, alpha=alpha, power=power, arms=arms, looks=planned)
    found: dict[int, float] = {}
    if base.a_day:
        for span in WEEKS:
            have = base.a_day * span / arms
            found[span] = detectable(have, base.variance, alpha=alpha, power=power, arms=arms, looks=min(span, planned))
    return Answer(
        each * arms,
        days(each, base.a_day, arms) if base.a_day else None,
        inflation(planned, alpha / (arms - 1), power),
        found,
    )
