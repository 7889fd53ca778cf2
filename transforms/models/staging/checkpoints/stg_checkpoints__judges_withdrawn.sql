select event_key, received_at, log_offset, checkpoint_id, reason
from {{ events('checkpoints', 'checkpoint.judge_withdrawn.v1') }} as withdrawn
