select
    job_id,
    kind,
    spec_id,
    checkpoint_id,
    status,
    epoch,
    owner,
    attempts,
    step,
    phase,
    reason,
    queued_at,
    updated_at
from {{ ref('int_jobs') }}
