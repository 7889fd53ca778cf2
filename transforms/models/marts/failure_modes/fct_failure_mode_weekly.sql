-- Weeks in which a mode was not seen are rows, too: a chart needs no filling, and a sum of denominators is right.
with written as (
    {% for dimension, subject in cell_dimensions() %}
    select cast(date_trunc('week', day) as date) as week, '{{ dimension }}' as dimension, {{ subject }} as subject, event_key, is_negative
    from {{ ref('int_mode_cells') }}
    where not is_automated and {{ subject }} is not null
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

totals as (
    select week, dimension, subject, count(*) as week_feedback_count
    from written
    group by week, dimension, subject
),

seen as (
    select
        modes.mode_id,
        written.week,
        written.dimension,
        written.subject,
        count(*) as feedback_count,
        count(*) filter (where written.is_negative) as negative_count
    from written
    inner join {{ ref('fct_feedback_modes') }} as modes on written.event_key = modes.event_key
    group by modes.mode_id, written.week, written.dimension, written.subject
),

counted as (
    select
        modes.mode_id,
        totals.*,
        coalesce(seen.feedback_count, 0) as feedback_count,
        coalesce(seen.negative_count, 0) as negative_count
    from (select distinct mode_id, dimension, subject from seen) as modes
    inner join totals on modes.dimension = totals.dimension and modes.subject = totals.subject
    left join seen
        on modes.mode_id = seen.mode_id
        and totals.week = seen.week
        and totals.dimension = seen.dimension
        and totals.subject = seen.subject
)

select
    mode_id,
    week,
    dimension,
    subject,
    feedback_count,
    negative_count,
    week_feedback_count,
    {{ share('feedback_count', 'week_feedback_count') }} as rate,
    {{ share_low('feedback_count', 'week_feedback_count') }} as rate_low,
    {{ share_high('feedback_count', 'week_feedback_count') }} as rate_high
from counted
