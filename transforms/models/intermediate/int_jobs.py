"""Where each job stands, folded anew at every build: the order of the log decides, and a late event may change all."""

from transforms.jobs import states


def model(dbt, session):
    """Fold the events of `jobs`."""
    dbt.config(materialized="table")
    return states(dbt.ref("stg_jobs__events").order("log_offset").project("canonical, received_at").pl()).to_arrow()
