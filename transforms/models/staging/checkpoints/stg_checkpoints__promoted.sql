select
    event_key,
    received_at,
    log_offset,
    checkpoint_id,
    role,
    replaces,
    lineage,
    place,
    spent,
    evidence
from {{ events('checkpoints', 'checkpoint.promoted.v1') }} as promoted
