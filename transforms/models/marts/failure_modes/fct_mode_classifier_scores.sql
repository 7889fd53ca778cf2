with listed as (
    select model_version, unnest(from_json(by_mode, '[{"mode_id": "VARCHAR", "support": "BIGINT", "assigned": "BIGINT", "correct": "BIGINT", "precision_low": "DOUBLE", "precision_high": "DOUBLE", "recall_low": "DOUBLE", "recall_high": "DOUBLE"}]')) as score
    from {{ ref('int_mode_classifiers') }}
)

select
    model_version,
    score.mode_id as mode_id,
    score.support as support,
    score.assigned as assigned,
    score.correct as correct,
    score.correct / nullif(score.assigned, 0) as "precision",
    score.precision_low as precision_low,
    score.precision_high as precision_high,
    score.correct / nullif(score.support, 0) as recall,
    score.recall_low as recall_low,
    score.recall_high as recall_high
from listed
