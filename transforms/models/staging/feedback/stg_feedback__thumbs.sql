select
    {{ feedback_columns('thumb') }},
    metric,
    {{ metric_key('metric') }} as metric_key,
    thumb,
    case thumb when 'down' then true when 'up' then false end as is_negative,
    cast(case thumb when 'down' then 0 when 'up' then 1 end as double) as level
from {{ events('feedback', 'feedback.thumb_given.v2') }} as given
