select
    event_key,
    received_at,
    checkpoint_id,
    role,
    method,
    base_checkpoint_id,
    spec_id,
    data_sha256,
    artifact_sha256,
    path,
    job_id,
    epoch
from {{ events('checkpoints', 'checkpoint.registered.v1') }} as registered
