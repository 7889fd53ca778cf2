with written as (
    select event_key, {{ utc_day('happened_at') }} as day, is_negative, judged_negative, report_kind
    from {{ ref('fct_feedback') }}
    where kind in ('comment', 'report') and is_current
),

days as (
    select day, count(*) filter (where report_kind is distinct from 'automated') as day_feedback_count
    from written
    group by day
)

select
    modes.mode_id,
    written.day,
    count(*) filter (where written.report_kind is distinct from 'automated') as feedback_count,
    count(*) filter (where written.report_kind = 'automated') as automated_count,
    count(*) filter (where written.is_negative) as negative_count,
    count(*) filter (where written.judged_negative) as judged_negative_count,
    max(days.day_feedback_count) as day_feedback_count
from written
inner join {{ ref('fct_feedback_modes') }} as modes on written.event_key = modes.event_key
inner join days on written.day = days.day
group by modes.mode_id, written.day
