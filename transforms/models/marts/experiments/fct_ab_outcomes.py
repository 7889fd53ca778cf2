"""What each day's end says of each experiment: transforms/experiments/outcomes.py."""

from transforms.experiments.tables import Tables, fields, outcome_table

EXPOSED = "select experiment_id, variant, exposed_day, count(*) as units from units where fault is null group by all"


def model(dbt, session):
    """Work out all days anew: sums are few, and a day that was restated changes those after it."""
    dbt.config(
        materialized="table",
        meta={"rows_of": ["experiment.started.v1"], "rows_in": "int_experiments"},
    )
    units, increments = dbt.ref("int_exposed_units"), dbt.ref("int_ab_increments")
    sums = ", ".join(f"cast(sum({field}) as double) as {field}" for field in fields())
    added = f"select experiment_id, metric, variant, day, {sums} from increments group by all"
    ends = [*dbt.ref("int_unit_days").max("day").fetchall(), *units.max("exposed_day").fetchall()]
    return outcome_table(
        Tables(
            dbt.ref("int_experiments").pl(),
            dbt.ref("int_experiment_arms").pl(),
            dbt.ref("dim_metrics").pl(),
            units.query("units", EXPOSED).pl(),
            increments.query("increments", added).pl(),
            dbt.ref("int_ab_bins").order("day").pl(),
            max((day for (day,) in ends if day), default=None),
        )
    ).to_arrow()
