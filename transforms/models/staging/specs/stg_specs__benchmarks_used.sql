select event_key, received_at, benchmark, version, checkpoint_id, purpose, job_id
from {{ events('specs', 'benchmark.used.v1') }} as used
