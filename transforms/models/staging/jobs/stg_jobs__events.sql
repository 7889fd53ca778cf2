select log_offset, received_at, type, job_id, epoch, owner, canonical
from {{ ref('base_jobs') }}
where error is null
