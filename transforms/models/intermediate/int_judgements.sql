-- What our own judges said, admitted from the winning epochs of their jobs alone. `judged_key` is the event that was judged.
with own as (
    select * from {{ ref('stg_feedback__scores') }} where {{ is_own_judgement() }} and metric_key = 'judge/negative'
),

admitted as (
    select
        scores.event_key,
        scores.author_id as checkpoint_id,
        scores.native_id as judged_key,
        scores.metric,
        scores.value,
        scores.status,
        row_number() over (
            partition by scores.author_id, scores.native_id, scores.metric_key
            order by epochs.epoch desc, scores.received_at desc, scores.event_key desc
        ) as place,
        scores.received_at,
        max(greatest(scores.received_at, jobs.updated_at)) over (partition by scores.native_id) as updated_at
    from own as scores
    inner join {{ ref('int_admitted_epochs') }} as epochs
        on scores.job_id = epochs.job_id and scores.epoch = epochs.epoch
    inner join {{ ref('int_jobs') }} as jobs on scores.job_id = jobs.job_id
    where epochs.status = 'completed'
)

select
    event_key,
    checkpoint_id,
    judged_key,
    metric,
    value,
    case when status = 'scored' then value >= 0.5 end as judged_negative,
    updated_at,
    row_number() over (partition by judged_key order by received_at desc, event_key desc) = 1 as is_latest
from admitted
where place = 1
