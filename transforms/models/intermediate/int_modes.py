"""The failure modes as they stand, folded anew at every build: a late event may change all."""

from transforms.taxonomy.tables import modes


def model(dbt, session):
    """Fold the events of `taxonomy`."""
    dbt.config(materialized="table")
    changes = dbt.ref("stg_taxonomy__changes").order("log_offset").project("canonical, received_at")
    return modes(dbt.ref("failure_modes").order("mode_id").pl(), changes.pl()).to_arrow()
