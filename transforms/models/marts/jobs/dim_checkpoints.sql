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
),

promoted as (
    select checkpoint_id, max(received_at) as promoted_at, max(log_offset) as log_offset
    from {{ ref('stg_checkpoints__promoted') }}
    group by checkpoint_id
),

champions as (
    select max_by(checkpoint_id, log_offset) as checkpoint_id from {{ ref('stg_checkpoints__promoted') }} group by role
),

refused as (
    select checkpoint_id, max_by(reason, log_offset) as reason, max(log_offset) as log_offset
    from {{ ref('stg_checkpoints__refused') }}
    group by checkpoint_id
)

select
    placed.checkpoint_id,
    placed.role,
    placed.method,
    placed.counts,
    placed.spec_id,
    placed.job_id,
    placed.epoch,
    placed.base_checkpoint_id,
    placed.data_sha256,
    placed.artifact_sha256,
    placed.path,
    placed.received_at as registered_at,
    case
        when champions.checkpoint_id is not null then 'champion'
        when promoted.log_offset > coalesce(refused.log_offset, -1) then 'former champion'
        when refused.checkpoint_id is not null then 'refused'
        else 'candidate'
    end as standing,
    promoted.promoted_at,
    case when refused.log_offset > coalesce(promoted.log_offset, -1) then refused.reason end as refused_because
from placed
left join promoted on placed.checkpoint_id = promoted.checkpoint_id
left join champions on placed.checkpoint_id = champions.checkpoint_id
left join refused on placed.checkpoint_id = refused.checkpoint_id
where placed.place = 1
