"""Any of k tries, and all of k: transforms/evals/passes.py."""

from transforms.evals.passes import pass_table


def model(dbt, session):
    """Of every task that was tried, all tries together."""
    dbt.config(materialized="table")
    return pass_table(dbt.ref("int_tried_tasks").pl()).to_arrow()
