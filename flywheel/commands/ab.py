"""`flywheel ab`: experiments, from the plan to the verdict."""

import json
import time
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.place import existing_home, home_path, open_event_log, open_home, placed
from flywheel.ranges import Between
from flywheel.tables import show
from models.errors import TerminalError

EXPERIMENTS = "select experiment_id, state, days, units, srm_p, verdict, said, reason from dim_experiments order by 1"
OUTCOMES = """
select outcomes.*, metrics.unit_label
from fct_ab_outcomes as outcomes
inner join dim_metrics as metrics on outcomes.metric = metrics.metric
where outcomes.experiment_id = ? and outcomes.is_latest
order by outcomes.variant, case outcomes.role when 'decision' then 0 when 'guardrail' then 1 else 2 end, outcomes.metric
"""
NEXT = "it shows after flywheel sink --once && flywheel build"


@click.group()
@placed
def ab() -> None:
    """Experiments: plan, start, stop, and what they say.

    \b
    Examples:
      flywheel ab plan accept_rate --effect 0.01 --value 0.3 --daily 2000
      flywheel ab start bigger-model --variant A=small-1 --variant B=large-2 --metric accept_rate --units 60000
      flywheel ab outcomes bigger-model
    """


@ab.command()
@placed
@click.argument("metric")
@click.option(
    "--effect",
    type=Between(min=0, min_open=True),
    required=True,
    help="The least absolute difference that would matter (0.01 of a share: a point).",
)
@click.option("--value", type=Between(), help="What the metric is now; default: as the warehouse knows it.")
@click.option("--sd", type=Between(min=0, min_open=True), help="Standard deviation of one unit's value.")
@click.option("--daily", type=Between(min=0, min_open=True), help="New units a day, in all arms together.")
@click.option("--arms", type=click.IntRange(2, 20), default=2, show_default=True, help="The control among them.")
@click.option("--alpha", type=Between(0, 1, min_open=True, max_open=True), default=0.05, show_default=True)
@click.option("--power", type=Between(0, 1, min_open=True, max_open=True), default=0.8, show_default=True)
@click.option("--days", type=click.IntRange(1, 365), default=28, show_default=True, help="Daily looks until the end.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def plan(  # noqa: PLR0917
    metric: str, effect: float, value: float | None, sd: float | None, daily: float | None, arms: int, alpha: float,
    power: float, days: int, as_json: bool,
) -> None:  # fmt: skip
    """How many units, and how long, to find --effect on METRIC with daily looks.

    \b
    Examples:
      flywheel ab plan accept_rate --effect 0.01
      flywheel ab plan accept_rate --effect 0.01 --value 0.3 --daily 2000 --arms 3
    """
    from transforms.experiments.planning import Baseline, answer, baseline

    known = _metric(metric)
    base = None
    if value is not None and (sd is not None or 0 < value < 1):
        base = Baseline(value, sd * sd if sd is not None else value * (1 - value), daily)
    elif value is None:
        base = baseline(existing_home(), metric, known.kind, known.window_days or days)
        base = base._replace(a_day=daily or base.a_day)
    if base is None:
        raise TerminalError(f"--value {value} is no share, so --sd must say how much one unit's value varies")
    found = answer(base, effect, alpha=alpha, power=power, arms=arms, planned=days)
    if as_json:
        click.echo(json.dumps({"metric": metric, "effect": effect, **found._asdict()}, indent=2))
        return
    click.echo(
        f"{metric} is {base.value:.4g} now. To find {effect:g} {known.unit} with power {power:g} at alpha {alpha:g}, "
        f"looking on each of {days} days:"
    )
    click.echo(f"  {found.units:,} units in {arms} arms ({found.inflation:.3f} times those of one look at the end)")
    if base.high is not None and known.cap is None:
        click.echo(
            f"  one in a hundred has more than {base.high:.4g} {known.unit}: a `cap` in its file winsorises there"
        )
    if found.days is not None:
        click.echo(f"  {found.days} days at {base.a_day:,.0f} new units a day")
        if found.days > days:
            click.echo(f"  which is longer than {days} days: plan for --days {found.days}, or a larger effect")
        table = Table("days", "least effect found", box=box.SIMPLE_HEAD)
        for span, least in found.detectable.items():
            table.add_row(str(span), f"{least:.4g}")
        show(table)


@ab.command()
@placed
@click.argument("experiment")
@click.option(
    "--variant",
    "variants",
    metavar="NAME[=CHECKPOINT][:WEIGHT]",
    multiple=True,
    required=True,
    help="An arm, the control first; give it twice or more.",
)
@click.option("--metric", help="The metric that decides. Without it the experiment is watched, and never decided.")
@click.option("--guardrail", "guardrails", multiple=True, metavar="METRIC", help="Must not get worse than its margin.")
@click.option("--effect", type=Between(min=0, min_open=True), help="The absolute effect to be found.")
@click.option("--units", type=click.IntRange(min=2), help="Units in all arms by the end: flywheel ab plan.")
@click.option("--days", type=click.IntRange(1, 365), default=28, show_default=True, help="Days until the end.")
@click.option("--alpha", type=Between(0, 1, min_open=True, max_open=True), default=0.05, show_default=True)
@click.option("--unit", type=click.Choice(["person", "conversation", "response"]), default="person", show_default=True)
@click.option("--hypothesis", help="What is expected, in a sentence.")
def start(  # noqa: PLR0917
    experiment: str, variants: tuple[str, ...], metric: str | None, guardrails: tuple[str, ...], effect: float | None,
    units: int | None, days: int, alpha: float, unit: Any, hypothesis: str | None,
) -> None:  # fmt: skip
    """Start EXPERIMENT: its arms and its plan, which can't be changed afterwards.

    Assign units by `flywheel_client.assigned(unit, salt, arms)`, or by what the product has, and log an exposure when a
    unit meets its variant.

    \b
    Examples:
      flywheel ab start bigger-model --variant A=small-1 --variant B=large-2 --metric accept_rate --units 60000
      flywheel ab start tone --variant plain:3 --variant warm:1 --metric thumb_rate --guardrail latency_p95
    """
    from datetime import UTC, datetime

    from ingest.log import publish
    from models.events.experiment import ExperimentStarted, Plan

    arms = tuple(_variant(said) for said in variants)
    if len(arms) < 2 or len({arm.name for arm in arms}) < len(arms):
        raise TerminalError(f"{len(arms)} arms: an experiment has two or more, each with a name of its own")
    if metric is None and (guardrails or effect or units):
        raise TerminalError("--guardrail, --effect and --units are a plan's: say what decides with --metric")
    for name in (*((metric,) if metric else ()), *guardrails):
        found = _metric(name)
        if name in guardrails and found.margin is None:
            raise TerminalError(f"{name} has no margin, so that nothing says how much harm it may take: give it one")
    settled = (
        Plan(metric=metric, guardrails=guardrails, effect=effect, units=units, days=days, alpha=alpha)
        if metric
        else None
    )
    home = open_home(feeds=True)
    if _known(home, experiment):
        raise TerminalError(f"{experiment} was started already, and what was settled stays: take another name")
    event = ExperimentStarted(
        id=f"started-{experiment}", source="flywheel", occurred_at=datetime.now(UTC), experiment_id=experiment,
        variants=arms, unit=unit, hypothesis=hypothesis, plan=settled,
    )  # fmt: skip
    with open_event_log(home) as log:
        publish(log, [event])
    decides = f"decided by {metric}" if metric else "watched, since no --metric decides"
    click.echo(f"started {experiment}: {', '.join(arm.name for arm in arms)}; {decides}; salt {experiment!r}; {NEXT}")


@ab.command()
@placed
@click.argument("experiment")
@click.option("--reason", help="Why.")
def stop(experiment: str, reason: str | None) -> None:
    """Stop EXPERIMENT: who meets a variant after now doesn't count any more.

    \b
    Example:
      flywheel ab stop bigger-model --reason "B is better, and ships"
    """
    from datetime import UTC, datetime

    from ingest.log import publish
    from models.events.experiment import ExperimentStopped

    home = open_home()
    known = _known(home, experiment)
    if known == "stopped":
        raise TerminalError(f"{experiment} was stopped already")
    now = datetime.now(UTC)
    event = ExperimentStopped(
        id=f"stopped-{experiment}-{time.time_ns()}", source="flywheel", occurred_at=now, experiment_id=experiment,
        reason=reason,
    )  # fmt: skip
    with open_event_log(home) as log:
        publish(log, [event])
    click.echo(f"stopped {experiment} at {now:%Y-%m-%d %H:%M} UTC; {NEXT}")


@ab.command()
@placed
@click.argument("experiment", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def outcomes(experiment: str | None, as_json: bool) -> None:
    """What experiments say: the verdict of each in words, or of one EXPERIMENT every metric.

    \b
    Examples:
      flywheel ab outcomes
      flywheel ab outcomes bigger-model --json
    """
    from ingest.reader import query

    home = existing_home()
    every = query(home, EXPERIMENTS, ())
    rows = [dict(zip(every.columns, row, strict=True)) for row in every.rows]
    if experiment is not None:
        rows = [row for row in rows if row["experiment_id"] == experiment]
        if not rows:
            names = ", ".join(str(row[0]) for row in every.rows) or "none"
            raise TerminalError(f"the published build has no experiment {experiment!r}; it has: {names}")
        one = query(home, OUTCOMES, (experiment,))
        rows[0]["metrics"] = [dict(zip(one.columns, row, strict=True)) for row in one.rows]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False, default=str))
        return
    if not rows:
        click.echo("no experiment was started yet: flywheel ab start --help")
    for row in rows:
        at = f"{row['state']}, day {row['days'] or 0}, {row['units']:,} units"
        click.echo(f"{row['experiment_id']} ({at}): {row['said'] or 'no verdict yet'}")
        if row["reason"]:
            click.echo(f"  no verdict yet: {row['reason']}" if row["verdict"] == "undecided" else f"  {row['reason']}")
    if experiment is not None:
        show(_table(rows[0]["metrics"]))


def _table(metrics: list[dict[str, Any]]) -> Table:
    table = Table(
        "variant", "metric", "role", "control", "treatment", "difference", "p", "verdict", box=box.SIMPLE_HEAD
    )
    for row in metrics:
        if row["difference"] is None:
            table.add_row(row["variant"], row["metric"], row["role"], "", "", "nothing yet", "", row["verdict"])
            continue
        ends = f" [{row['low']:.3g}, {row['high']:.3g}]" if row["low"] is not None else ""
        p = row["adjusted_p"] if row["adjusted_p"] is not None else row["p"]
        table.add_row(
            row["variant"], row["metric"], row["role"], f"{row['control_estimate']:.4g}", f"{row['estimate']:.4g}",
            f"{row['difference']:+.3g}{ends} {row['unit_label']}", f"{p:.2g}", row["verdict"],
        )  # fmt: skip
    return table


def _metric(name: str) -> Any:
    from transforms.experiments.metrics import metrics

    known = metrics(home_path())
    if name not in known:
        raise TerminalError(f"there is no metric {name!r}; there are {', '.join(sorted(known))}")
    return known[name]


def _variant(said: str) -> Any:
    """`NAME[=CHECKPOINT][:WEIGHT]`. Raises TerminalError for what is none."""
    from models.events.experiment import Variant

    rest, _, weight = said.partition(":")
    name, _, checkpoint = rest.partition("=")
    try:
        return Variant(name=name, weight=float(weight or 1), checkpoint_id=checkpoint or None)
    except ValueError as error:
        raise TerminalError(f"{said!r} is no variant: say NAME, NAME=CHECKPOINT or NAME:WEIGHT") from error


def _known(home: Any, experiment: str) -> str | None:
    """The state of an experiment in the published build; None where that has none of the name."""
    from ingest.reader import query

    if not home.warehouse.exists():
        return None
    rows = query(home, "select state from dim_experiments where experiment_id = ?", (experiment,)).rows
    return rows[0][0] if rows else None
