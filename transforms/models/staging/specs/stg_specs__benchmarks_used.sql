select event_key, received_at, log_offset, benchmark, version, checkpoint_id, purpose, better, job_id
from {{ events('specs', 'benchmark.used.v1') }} as used
