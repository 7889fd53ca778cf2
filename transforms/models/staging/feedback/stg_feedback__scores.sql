select
    {{ feedback_columns('score') }},
    metric,
    {{ metric_key('metric') }} as metric_key,
    data_type,
    value,
    label,
    status,
    scale_min,
    scale_max,
    better,
    {{ score_is_negative() }} as is_negative,
    cast({{ score_level() }} as double) as level,
    judge_version,
    job_id,
    epoch
from {{ events('feedback', 'feedback.score_given.v1', 'base_feedback_details') }} as given
