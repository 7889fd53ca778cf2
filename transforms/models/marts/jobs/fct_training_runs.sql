with completed as (
    select *, row_number() over (partition by job_id, epoch order by received_at, event_key) as place
    from {{ ref('stg_results__trainings_completed') }}
)

select
    jobs.job_id,
    jobs.spec_id,
    completed.checkpoint_id,
    completed.method,
    jobs.status,
    jobs.epoch,
    completed.steps,
    completed.metric,
    completed.value,
    completed.train_rows,
    completed.validation_rows,
    completed.heldout_rows,
    completed.seconds
from {{ ref('int_jobs') }} as jobs
left join completed
    on jobs.job_id = completed.job_id
    and jobs.epoch = completed.epoch
    and jobs.status = 'completed'
    and completed.place = 1
where jobs.kind = 'train'
