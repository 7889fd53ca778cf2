select
    event_key,
    received_at,
    spec_id,
    checkpoint_id,
    job_id,
    epoch,
    metric,
    value,
    low,
    high,
    landed.interval,
    samples,
    scored,
    errored
from {{ events('results', 'result.eval_completed.v1') }} as landed
