select
    event_key,
    event_id,
    source,
    received_at,
    log_partition,
    log_offset,
    occurred_at,
    import_id,
    person_id,
    requested_by,
    reason
from {{ events('privacy', 'privacy.erasure_requested.v1') }} as landed
