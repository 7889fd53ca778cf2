"""What teams gave as examples of modes, folded anew at every build."""

from transforms.taxonomy.tables import team_examples


def model(dbt, session):
    """Fold the events of `taxonomy`."""
    dbt.config(materialized="table")
    changes = dbt.ref("stg_taxonomy__changes").order("log_offset").project("canonical, received_at")
    return team_examples(dbt.ref("failure_modes").order("mode_id").pl(), changes.pl()).to_arrow()
