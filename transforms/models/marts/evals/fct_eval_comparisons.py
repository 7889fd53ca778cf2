"""Checkpoints beside the champion and what they were made from: transforms/evals/comparisons.py."""

from transforms.evals.comparisons import comparison_table, relations

SCORED = """
select samples.spec_id, samples.checkpoint_id, samples.sample_id, samples.trial, samples.cluster, samples.score,
  samples.lenient
from samples where not samples.is_provisional
"""


def model(dbt, session):
    """Compare all anew: a promotion changes who everybody is compared with."""
    dbt.config(materialized="table")
    samples = dbt.ref("fct_eval_samples")
    return comparison_table(
        samples.query("samples", SCORED).pl(), relations(dbt.ref("dim_checkpoints").pl())
    ).to_arrow()
