select
    event_key,
    event_id,
    source,
    received_at,
    log_partition,
    log_offset,
    occurred_at,
    import_id,
    {{ happened_at() }} as happened_at,
    experiment_id,
    reason
from {{ events('experiments', 'experiment.stopped.v1') }} as landed
