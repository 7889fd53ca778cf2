"""What came of the probabilities that judges gave: transforms/judges/calibration.py."""

from transforms.judges.calibration import bins_table


def model(dbt, session):
    """One row per judge, version, metric and tenth of the scale that holds a label."""
    dbt.config(materialized="table")
    labels = dbt.ref("int_judge_labels").filter("probability is not null").order("labelled_at, target")
    return bins_table(labels.pl()).to_arrow()
