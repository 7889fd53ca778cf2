select
    {{ feedback_columns('comment') }},
    metric,
    {{ metric_key('metric') }} as metric_key,
    text
from {{ events('feedback', 'feedback.comment_left.v1', 'base_feedback_details') }} as given
