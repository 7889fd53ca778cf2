"""What came of the probabilities that judges gave: transforms/judges/calibration.py."""

from transforms.judges.calibration import bins_table


def model(dbt, session):
    """One row per judge, version, metric and tenth of the scale that holds a label."""
    dbt.config(
        materialized="table",
        meta={
            "rows_of": [
                "feedback.score_given.v1", "feedback.preference_given.v1", "result.eval_sample_scored.v1",
                "job.completed.v1", "checkpoint.registered.v1",
            ],
            "rows_in": "int_judge_answers",
        },
    )  # fmt: skip
    labels = dbt.ref("int_judge_labels").filter("probability is not null").order("labelled_at, target")
    return bins_table(labels.pl()).to_arrow()
