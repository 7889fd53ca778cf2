with registered as (
    select
        checkpoints.*,
        checkpoints.job_id is null or coalesce(jobs.status = 'completed' and jobs.epoch = checkpoints.epoch, false) as counts
    from {{ ref('stg_checkpoints__registered') }} as checkpoints
    left join {{ ref('int_jobs') }} as jobs on checkpoints.job_id = jobs.job_id
),

placed as (
    select
        *,
        row_number() over (partition by checkpoint_id order by counts desc, received_at, event_key) as place
    from registered
)

select
    checkpoint_id,
    role,
    method,
    counts,
    spec_id,
    job_id,
    epoch,
    base_checkpoint_id,
    data_sha256,
    artifact_sha256,
    path,
    received_at as registered_at
from placed
where place = 1
