"""How far each judge agrees with people, and whether it may gate: transforms/judges/calibration.py."""

from transforms.judges.calibration import calibration_table


def model(dbt, session):
    """Work out all judges anew: labels of a judge come late, and change."""
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
    answers = dbt.ref("int_judge_answers").query(
        "answers",
        "select judge_id, judge_version, metric, kind, bool_or(is_ours) as is_ours, count(*) as answers, "
        "count(*) filter (where is_yes) as positives from answers group by all",
    )
    labels = dbt.ref("int_judge_labels").order("labelled_at, target")
    swaps = dbt.ref("int_judge_swaps").query(
        "swaps",
        "select judge_id, judge_version, metric, count(*) as pairs, count(*) filter (where is_kept) as kept, "
        "count(*) filter (where is_by_place) as by_place from swaps group by all",
    )
    withdrawn = dbt.ref("stg_checkpoints__judges_withdrawn").query(
        "withdrawn",
        "select checkpoint_id as judge_id, min(received_at) as withdrawn_at, "
        "min_by(reason, received_at) as withdrawn_reason from withdrawn group by all",
    )
    gated = dbt.ref("stg_results__eval_samples").query(
        "samples",
        "select judge_id, coalesce(judge_version, 'not said') as judge_version, count(*) as gated from samples "
        "where judge_id is not null group by all",
    )
    return calibration_table(answers.pl(), labels.pl(), swaps.pl(), withdrawn.pl(), gated.pl()).to_arrow()
