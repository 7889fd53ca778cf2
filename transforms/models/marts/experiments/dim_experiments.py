"""Experiments with where they stand, who takes part, and what they say: transforms/experiments/verdicts.py."""

import polars as pl

from transforms.experiments.outcomes import SRM_ALPHA, Outcome
from transforms.experiments.tables import said_table

COUNTS = """
select
    experiment_id,
    count(*) filter (where fault is null) as units,
    count(*) filter (where fault = 'two variants') as crossovers,
    count(*) filter (where fault <> 'two variants') as flagged,
    min(exposed_day) filter (where fault is null) as first_day,
    count(distinct variant) filter (where fault is null) as arms
from units
group by experiment_id
"""


def model(dbt, session):
    """One row per experiment that was started."""
    dbt.config(
        materialized="table",
        meta={"rows_of": ["experiment.started.v1"], "rows_in": "int_experiments"},
    )
    experiments, arms = dbt.ref("int_experiments").pl(), dbt.ref("int_experiment_arms").pl()
    outcomes = dbt.ref("fct_ab_outcomes").pl().select(Outcome._fields).sort("day")
    latest = outcomes.filter("is_latest")
    counts = dbt.ref("int_exposed_units").query("units", COUNTS).pl()
    left = {name: (crossed + flagged, met) for name, _, crossed, flagged, _, met in counts.iter_rows()}
    rows = [Outcome(*row) for row in outcomes.iter_rows()]
    words = said_table(experiments, arms, dbt.ref("dim_metrics").pl(), rows, left, dbt.ref("fct_ab_novelty").pl())
    controls = arms.filter(pl.col("place") == 0).select("experiment_id", control="variant")
    ratios = latest.group_by("experiment_id").agg(pl.col("srm_p", "srm_sequential_p", "day").first())
    table = (
        experiments.join(controls, on="experiment_id", how="left")
        .join(counts, on="experiment_id", how="left")
        .join(ratios, on="experiment_id", how="left")
        .join(words, on="experiment_id", how="left")
    )
    return (
        table.select(
            "experiment_id",
            "hypothesis",
            "unit",
            pl.when(pl.col("stopped_at").is_null()).then(pl.lit("running")).otherwise(pl.lit("stopped")).alias("state"),
            "started_at",
            "stopped_at",
            "stop_reason",
            "control",
            "variants",
            "salt",
            decision_metric="plan_metric",
            guardrails="plan_guardrails",
            planned_units="plan_units",
            planned_days="plan_days",
            days=(pl.col("day") - pl.col("first_day")).dt.total_days() + 1,
            units=pl.col("units").fill_null(0),
            crossovers=pl.col("crossovers").fill_null(0),
            flagged=pl.col("flagged").fill_null(0),
            srm_p="srm_p",
            srm_sequential_p="srm_sequential_p",
            srm_ok=pl.col("srm_sequential_p") >= SRM_ALPHA,
            verdict="verdict",
            said="said",
            reason="reason",
        )
        .sort("experiment_id")
        .to_arrow()
    )
