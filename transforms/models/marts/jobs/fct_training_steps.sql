with placed as (
    select
        steps.*,
        epochs.status <> 'completed' as is_provisional,
        row_number() over (
            partition by steps.job_id, steps.step, steps.metric
            order by steps.epoch desc, steps.received_at, steps.event_key
        ) as place
    from {{ ref('stg_results__training_steps') }} as steps
    inner join {{ ref('int_admitted_epochs') }} as epochs
        on steps.job_id = epochs.job_id
        and steps.epoch = epochs.epoch
        and steps.step <= coalesce(epochs.up_to_step, steps.step)
)

select job_id, step, metric, value, epoch, is_provisional
from placed
where place = 1
