select
    event_key,
    received_at,
    occurred_at,
    kind,
    mode_id,
    subject,
    cast(window_start as date) as window_start,
    cast(window_end as date) as window_end,
    value,
    low,
    high,
    baseline,
    message
from {{ events('taxonomy', 'taxonomy.alert_raised.v1') }} as raised
