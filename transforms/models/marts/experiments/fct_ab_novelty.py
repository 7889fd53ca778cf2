"""Whether effects fade: transforms/experiments/fading.py."""

import polars as pl

from transforms.experiments.fading import novelty_table
from transforms.experiments.tables import fields


def model(dbt, session):
    """One row per experiment, metric and treatment of which units' days are over."""
    dbt.config(
        materialized="table",
        meta={"rows_of": ["experiment.started.v1"], "rows_in": "int_experiments"},
    )
    sums = ", ".join(f"cast(sum({field}) as double) as {field}" for field in fields())
    halves = dbt.ref("int_ab_halves").query(
        "halves", f"select experiment_id, metric, variant, half_days as days, {sums} from halves group by all"
    )
    arms, metrics = dbt.ref("int_experiment_arms").pl(), dbt.ref("dim_metrics").pl()
    rounded = pl.selectors.float().round(12)
    return novelty_table(halves.pl(), arms, metrics).with_columns(rounded).to_arrow()
