select
    event_key,
    source,
    received_at,
    log_partition,
    log_offset,
    task_id,
    reason
from {{ events('tasks', 'task.withdrawn.v1') }} as withdrawn
