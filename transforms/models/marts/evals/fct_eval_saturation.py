"""Which evals are spent, ours and those that others reported: transforms/evals/saturation.py."""

from itertools import chain

from transforms.evals.saturation import of_reports, of_specs, table

SCORED = """
select samples.spec_id, samples.checkpoint_id, samples.sample_id, samples.cluster, samples.score, samples.lenient
from samples where not samples.is_provisional and samples.checkpoint_id is not null
"""


def model(dbt, session):
    """All evals anew: one more checkpoint changes the line through all."""
    dbt.config(materialized="table")
    samples = dbt.ref("fct_eval_samples").query("samples", SCORED).pl()
    ours = of_specs(samples, dbt.ref("dim_checkpoints").pl(), dbt.ref("fct_specs").pl())
    return table(chain(ours, of_reports(dbt.ref("fct_reported_evals").pl()))).to_arrow()
