with shown as (
    select modes.mode_id, modes.confidence, cells.*
    from {{ ref('fct_feedback_modes') }} as modes
    inner join {{ ref('int_mode_cells') }} as cells on modes.event_key = cells.event_key
),

counts as (
    select
        mode_id,
        count(*) filter (where not is_automated) as feedback_count,
        count(*) filter (where is_automated) as automated_count,
        count(distinct text_hash) as text_count,
        count(distinct complaint_key) as complaint_count,
        count(distinct author_key) filter (where not is_automated) as author_count,
        count(*) filter (where is_negative) as negative_count,
        round(avg(confidence) filter (where not is_automated), 9) as mean_confidence,
        min(happened_at) as first_seen,
        max(happened_at) as last_seen
    from shown
    group by mode_id
),

-- What a training run could be made of, and whether there is one that reads it.
for_training as (
    select samples.mode_id, count(*) as samples
    from {{ ref('sync_spec_samples') }} as samples
    where samples.spec_key = 'train:all:judge'
    group by samples.mode_id
)

select
    modes.*,
    coalesce(counts.feedback_count, 0) as feedback_count,
    coalesce(counts.text_count, 0) as text_count,
    coalesce(counts.complaint_count, 0) as complaint_count,
    coalesce(counts.author_count, 0) as author_count,
    coalesce(counts.negative_count, 0) as negative_count,
    coalesce(counts.automated_count, 0) as automated_count,
    counts.mean_confidence,
    counts.first_seen,
    counts.last_seen,
    evals.reason as spec_reason,
    evals.reason as eval_reason,
    case
        when modes.status = 'proposed' then 'proposed, not accepted'
        when modes.status = 'merged' then 'merged into ' || modes.merged_into
        when modes.status = 'retired' then 'retired'
        when coalesce(for_training.samples, 0) = 0 then 'no labelled training-side text of it'
        else 'no training method is for one mode; train:all:judge, which is '
            || case when training.ready then 'ready' else 'not ready (' || training.reason || ')' end
            || ', has ' || for_training.samples || ' of its texts'
    end as training_reason
from {{ ref('int_modes') }} as modes
left join counts on modes.mode_id = counts.mode_id
left join {{ ref('sync_eval_specs') }} as evals on modes.mode_id = evals.mode_id and evals.role = 'judge'
left join for_training on modes.mode_id = for_training.mode_id
left join {{ ref('sync_training_specs') }} as training on training.spec_key = 'train:all:judge'
