select
    {{ feedback_columns('thumb') }},
    metric,
    {{ metric_key('metric') }} as metric_key,
    thumb
from {{ events('feedback', 'feedback.thumb_given.v2') }} as given
