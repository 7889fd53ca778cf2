with raised as (
    select *, row_number() over (partition by event_key order by received_at) as place
    from {{ ref('stg_taxonomy__alerts_raised') }}
)

select
    event_key as alert_key,
    received_at as raised_at,
    kind,
    raised.mode_id,
    modes.name as mode_name,
    subject,
    window_start,
    window_end,
    value,
    low,
    high,
    baseline,
    message
from raised
left join {{ ref('int_modes') }} as modes on raised.mode_id = modes.mode_id
where place = 1
