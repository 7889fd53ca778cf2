select
    event_key,
    event_id,
    source,
    received_at,
    log_partition,
    log_offset,
    occurred_at,
    import_id,
    experiment_id,
    variants,
    unit,
    hypothesis
from {{ events('experiments', 'experiment.started.v1') }} as landed
