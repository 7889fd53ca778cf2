with counts as (
    select
        modes.mode_id,
        count(*) filter (where feedback.report_kind is distinct from 'automated') as feedback_count,
        count(*) filter (where feedback.report_kind = 'automated') as automated_count,
        count(distinct modes.text_hash) as text_count,
        count(distinct feedback.source || '|' || feedback.voter)
            filter (where feedback.report_kind is distinct from 'automated') as author_count,
        count(*) filter (where feedback.is_negative) as negative_count,
        min(feedback.happened_at) as first_seen,
        max(feedback.happened_at) as last_seen
    from {{ ref('fct_feedback_modes') }} as modes
    inner join {{ ref('fct_feedback') }} as feedback on modes.event_key = feedback.event_key
    group by modes.mode_id
)

select
    modes.mode_id,
    modes.name,
    modes.parent,
    modes.definition,
    modes.status,
    modes.origin,
    modes.terms,
    coalesce(counts.feedback_count, 0) as feedback_count,
    coalesce(counts.text_count, 0) as text_count,
    coalesce(counts.author_count, 0) as author_count,
    coalesce(counts.negative_count, 0) as negative_count,
    coalesce(counts.automated_count, 0) as automated_count,
    counts.first_seen,
    counts.last_seen,
    specs.reason as spec_reason
from {{ ref('int_modes') }} as modes
left join counts on modes.mode_id = counts.mode_id
left join {{ ref('sync_eval_specs') }} as specs on modes.mode_id = specs.mode_id and specs.role = 'judge'
