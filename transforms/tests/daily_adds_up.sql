-- The days of a mode add up to what is said of it.
select modes.mode_id, modes.feedback_count, modes.negative_count, modes.automated_count
from {{ ref('dim_failure_modes') }} as modes
left join {{ ref('fct_failure_mode_daily') }} as days on modes.mode_id = days.mode_id
group by modes.mode_id, modes.feedback_count, modes.negative_count, modes.automated_count
having coalesce(sum(days.feedback_count), 0) <> modes.feedback_count
    or coalesce(sum(days.negative_count), 0) <> modes.negative_count
    or coalesce(sum(days.automated_count), 0) <> modes.automated_count
