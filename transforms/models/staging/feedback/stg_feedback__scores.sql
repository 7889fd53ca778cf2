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
    job_id,
    epoch
from {{ events('feedback', 'feedback.score_given.v1') }} as given
