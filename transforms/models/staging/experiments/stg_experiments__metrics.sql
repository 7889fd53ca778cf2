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
    metric,
    value,
    person_id,
    anonymous_id,
    response_id
from {{ events('experiments', 'experiment.metric_observed.v1') }} as landed
