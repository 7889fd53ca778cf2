select
    event_key,
    received_at,
    spec_id,
    job_id,
    epoch,
    checkpoint_id,
    method,
    steps,
    metric,
    value,
    train_rows,
    validation_rows,
    heldout_rows,
    seconds
from {{ events('results', 'result.training_completed.v1') }} as completed
