"""From the tables of the warehouse to experiments, and from outcomes back to tables. Pure: polars in, polars out."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from typing import Any, NamedTuple

import polars as pl

from stats.arm import Arm
from transforms.experiments.compared import of_bins, of_sums
from transforms.experiments.outcomes import Compared, Experiment, Metric, Outcome, Plan, outcomes
from transforms.experiments.verdicts import Fading, said

OUTCOMES = pl.Schema(
    {
        "experiment_id": pl.String, "metric": pl.String, "variant": pl.String, "day": pl.Date, "is_latest": pl.Boolean,
        "role": pl.String, "units": pl.Int64, "control_units": pl.Int64, "estimate": pl.Float64,
        "control_estimate": pl.Float64, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "relative": pl.Float64, "relative_low": pl.Float64, "relative_high": pl.Float64, "p": pl.Float64,
        "adjusted_p": pl.Float64, "decision_low": pl.Float64, "decision_high": pl.Float64, "shrunken": pl.Float64,
        "information": pl.Float64,
        "srm_p": pl.Float64, "srm_sequential_p": pl.Float64, "verdict": pl.String, "reason": pl.String,
    }
)  # fmt: skip

SAID = pl.Schema({"experiment_id": pl.String, "verdict": pl.String, "said": pl.String, "reason": pl.String})


class Tables(NamedTuple):
    """What outcomes are made of."""

    experiments: pl.DataFrame
    """`int_experiments`."""
    arms: pl.DataFrame
    """`int_experiment_arms`."""
    metrics: pl.DataFrame
    """`dim_metrics`."""
    exposed: pl.DataFrame
    """`experiment_id`, `variant`, `exposed_day`, `units`: who counts, by the day of the first exposure."""
    added: pl.DataFrame
    """`int_ab_increments` over all cells: `experiment_id`, `metric`, `variant`, `day` and the fields of `Arm`."""
    bins: pl.DataFrame
    """`int_ab_bins`."""
    newest: date | None
    """The last day that anything is known of."""


def outcome_table(tables: Tables) -> pl.DataFrame:
    """One row per experiment, metric, treatment and day (OUTCOMES)."""
    found = known_metrics(tables.metrics)
    rows: list[Outcome] = []
    for row in tables.experiments.iter_rows(named=True):
        rows += outcomes(_experiment(tables, row, found), found)
    return pl.DataFrame(rows, schema=OUTCOMES, orient="row").with_columns(
        pl.selectors.float().exclude("information").round(12)
    )


def known_metrics(metrics: pl.DataFrame) -> dict[str, Metric]:
    """The metrics of `dim_metrics` by name."""
    return {
        row["metric"]: Metric(row["metric"], row["kind"], row["direction"] == "higher", row["margin"])
        for row in metrics.sort("metric").iter_rows(named=True)
    }


def plan_of(row: dict[str, Any]) -> Plan | None:
    """The plan of a row of `int_experiments`."""
    if row["plan_metric"] is None:
        return None
    guardrails = tuple(json.loads(row["plan_guardrails"] or "[]"))
    return Plan(
        row["plan_metric"], guardrails, row["plan_alpha"], row["plan_units"], row["plan_days"], row["plan_effect"]
    )


def _experiment(tables: Tables, row: dict[str, Any], metrics: dict[str, Metric]) -> Experiment:
    name = row["experiment_id"]
    arms = [
        (arm["variant"], arm["weight"])
        for arm in tables.arms.filter(pl.col("experiment_id") == name).sort("place").iter_rows(named=True)
    ]
    exposed = tables.exposed.filter(pl.col("experiment_id") == name)
    days = _days(exposed, _end(row["stopped_at"], tables))
    counts = {arm: _counted(exposed, arm, days) for arm, _ in arms}
    added = _by_metric(tables.added, name)
    bins = _by_metric(tables.bins, name)
    quantiles = dict(tables.metrics.select("metric", "quantile").drop_nulls().iter_rows())
    names = [arm for arm, _ in arms]
    compared: dict[str, dict[str, list[Compared]]] = {}
    for metric in metrics.values():
        if metric.name in bins:
            compared[metric.name] = of_bins(bins[metric.name], names, days, quantiles[metric.name], counts)
        elif metric.name in added and _is_measured(added[metric.name]):
            compared[metric.name] = of_sums(added[metric.name], names, days, is_ratio=metric.kind == "ratio")
    return Experiment(name, tuple(arms), plan_of(row), tuple(days), counts, compared)


def _by_metric(table: pl.DataFrame, experiment: str) -> dict[str, pl.DataFrame]:
    of_one = table.filter(pl.col("experiment_id") == experiment)
    return {str(key[0]): rows for key, rows in of_one.partition_by("metric", as_dict=True).items()}


def _is_measured(added: pl.DataFrame) -> bool:
    """Whether anything of a metric was ever seen: every unit has a row of zeros in each."""
    return bool(added.select((pl.col("y").abs() + pl.col("d").abs() + pl.col("yy")).sum() > 0).item())


def _days(exposed: pl.DataFrame, newest: date | None) -> list[date]:
    first: Any = exposed["exposed_day"].min()
    if first is None or newest is None or newest < first:
        return []
    return [first + timedelta(days=at) for at in range((newest - first).days + 1)]


def _end(stopped: datetime | None, tables: Tables) -> date | None:
    """The last day that an experiment has: of one that was stopped, when the longest days of a metric are over."""
    if stopped is None or tables.newest is None:
        return tables.newest
    spans = [*tables.metrics["window_days"].drop_nulls(), *(tables.metrics["to_day"].drop_nulls() + 1)]
    return min(tables.newest, stopped.astimezone(UTC).date() + timedelta(days=int(max(spans, default=1)) - 1))


def _counted(exposed: pl.DataFrame, arm: str, days: Sequence[date]) -> list[int]:
    by_day = dict(exposed.filter(pl.col("variant") == arm).select("exposed_day", "units").iter_rows())
    return list(accumulate(int(by_day.get(day, 0)) for day in days))


def said_table(  # noqa: PLR0917
    experiments: pl.DataFrame,
    arms: pl.DataFrame,
    metrics: pl.DataFrame,
    rows: Iterable[Outcome],
    left: Mapping[str, tuple[int, int]],
    novelty: pl.DataFrame,
) -> pl.DataFrame:
    """What each experiment says now, in words (SAID).

    `rows`: `fct_ab_outcomes` in the order of days. `left`: units left out, and arms that have units that count.
    `novelty`: `fct_ab_novelty`.
    """
    latest: dict[str, list[Outcome]] = {}
    fell: dict[str, dict[str, Outcome]] = {}
    for row in rows:
        if row.is_latest:
            latest.setdefault(row.experiment_id, []).append(row)
        if row.role == "decision" and row.verdict in {"better", "worse", "no difference"}:
            fell.setdefault(row.experiment_id, {}).setdefault(row.variant, row)
    units = dict(metrics.select("metric", "unit_label").iter_rows())
    controls = dict(arms.filter(pl.col("place") == 0).select("experiment_id", "variant").iter_rows())
    told: list[tuple[str | None, ...]] = []
    for name, metric in experiments.select("experiment_id", "plan_metric").iter_rows():
        words = said(
            latest.get(name, []),
            fell.get(name, {}),
            units,
            control=controls.get(name, "the control"),
            has_plan=metric is not None,
            faults=left.get(name, (0, 0))[0],
            met=left.get(name, (0, 0))[1],
            fades=_fading(novelty, name, metric),
        )
        told.append((name, *words))
    return pl.DataFrame(told, schema=SAID, orient="row")


def _fading(novelty: pl.DataFrame, experiment: str, metric: str | None) -> dict[str, Fading]:
    if metric is None:
        return {}
    of_one = novelty.filter("fades", pl.col("experiment_id") == experiment, pl.col("metric") == metric)
    return {row[0]: Fading(*row[1:]) for row in of_one.select("variant", "days", "early", "late").iter_rows()}


def fields() -> list[str]:
    """The sums of an arm, as the tables name them."""
    return list(Arm._fields)
