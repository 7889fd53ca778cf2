"""Failure modes that grew: the newest 7 days beside the 28 before them."""

from transforms.taxonomy.emerging import emerging


def model(dbt, session):
    """Compare the windows of every mode and subject."""
    dbt.config(materialized="table")
    return emerging(dbt.ref("int_mode_windows").pl()).to_arrow()
