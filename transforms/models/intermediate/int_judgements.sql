-- What our own judges said, admitted from the winning epochs of their jobs alone. `judged_id` is the event that was judged.
with own as (
    select * from {{ ref('stg_feedback__scores') }} where {{ is_own_judgement() }} and metric_key = 'judge/negative'
),

admitted as (
    select
        scores.event_key,
        scores.author_id as checkpoint_id,
        scores.native_id as judged_id,
        scores.metric,
        scores.value,
        scores.status,
        row_number() over (
            partition by scores.author_id, scores.native_id, scores.metric_key
            order by epochs.epoch desc, scores.received_at desc, scores.event_key desc
        ) as place,
        scores.received_at
    from own as scores
    inner join {{ ref('int_admitted_epochs') }} as epochs
        on scores.job_id = epochs.job_id and scores.epoch = epochs.epoch
    where epochs.status = 'completed'
)

select
    event_key,
    checkpoint_id,
    judged_id,
    metric,
    value,
    case when status = 'scored' then value >= 0.5 end as judged_negative,
    row_number() over (partition by judged_id order by received_at desc, event_key desc) = 1 as is_latest
from admitted
where place = 1
