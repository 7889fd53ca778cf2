with counted as (
    select
        modes.mode_id,
        cells.day,
        cells.cell_key,
        count(*) filter (where not cells.is_automated) as feedback_count,
        count(*) filter (where cells.is_automated) as automated_count,
        count(*) filter (where cells.is_negative) as negative_count,
        count(*) filter (where cells.judged_negative) as judged_negative_count
    from {{ ref('int_mode_cells') }} as cells
    inner join {{ ref('fct_feedback_modes') }} as modes on cells.event_key = modes.event_key
    group by modes.mode_id, cells.day, cells.cell_key
)

select
    counted.mode_id,
    counted.day,
    counted.cell_key,
    {% for column in cell_columns() %}
    written.{{ column }},
    {% endfor %}
    counted.feedback_count,
    counted.automated_count,
    counted.negative_count,
    counted.judged_negative_count,
    written.feedback_count as cell_feedback_count,
    {{ share('counted.feedback_count', 'written.feedback_count') }} as rate,
    {{ share_low('counted.feedback_count', 'written.feedback_count') }} as rate_low,
    {{ share_high('counted.feedback_count', 'written.feedback_count') }} as rate_high
from counted
inner join {{ ref('fct_written_daily') }} as written on counted.day = written.day and counted.cell_key = written.cell_key
