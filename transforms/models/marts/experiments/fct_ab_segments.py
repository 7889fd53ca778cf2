"""Effects within segments, as of the last day: transforms/experiments/segments.py."""

from transforms.experiments.segments import segment_table
from transforms.experiments.tables import fields


def model(dbt, session):
    """One row per experiment, metric, treatment and segment."""
    dbt.config(
        materialized="table",
        meta={"rows_of": ["experiment.started.v1"], "rows_in": "int_experiments"},
    )
    sums = ", ".join(f"cast(sum({field}) as double) as {field}" for field in fields())
    cells = dbt.ref("int_ab_increments").query(
        "increments",
        f"select experiment_id, metric, variant, language, audience, source, {sums} from increments group by all",
    )
    return segment_table(cells.pl(), dbt.ref("int_experiment_arms").pl(), dbt.ref("dim_metrics").pl()).to_arrow()
