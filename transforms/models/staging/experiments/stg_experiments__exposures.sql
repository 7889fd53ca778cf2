select
    event_key,
    event_id,
    event_hash,
    source,
    received_at,
    log_partition,
    log_offset,
    occurred_at,
    import_id,
    {{ happened_at() }} as happened_at,
    experiment_id,
    variant,
    person_id,
    anonymous_id,
    anonymous_hash,
    response_id
from {{ events('experiments', 'experiment.exposure_logged.v1') }} as landed
