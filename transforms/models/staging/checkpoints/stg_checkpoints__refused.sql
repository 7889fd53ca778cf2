select
    event_key,
    received_at,
    log_offset,
    checkpoint_id,
    role,
    champion_id,
    lineage,
    place,
    spent,
    evidence,
    reason,
    more_samples
from {{ events('checkpoints', 'checkpoint.refused.v1') }} as refused
