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
    request_id,
    events,
    files,
    certificate
from {{ events('privacy', 'privacy.erasure_completed.v1') }} as landed
