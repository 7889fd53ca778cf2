-- What shows a mode shows what that was merged into, once.
with shown as (
    select
        feedback.event_key,
        feedback.event_id,
        modes.successor_id as mode_id,
        assignments.rank as assigned_rank,
        assignments.confidence,
        assignments.text_hash,
        assignments.model_version,
        assignments.taxonomy_digest
    from {{ ref('fct_feedback') }} as feedback
    inner join {{ ref('int_text_assignments') }} as assignments on feedback.text_hash = assignments.text_hash
    inner join {{ ref('int_mode_successors') }} as modes on assignments.mode_id = modes.mode_id
    where feedback.is_current

    union all

    -- A rule shows the mode that it was written for; its text is our own, and says nothing more.
    select
        feedback.event_key,
        feedback.event_id,
        modes.successor_id as mode_id,
        1 as assigned_rank,
        cast(1 as double) as confidence,
        cast(null as varchar) as text_hash,
        'rule:' || feedback.rule || '@' || feedback.rule_version as model_version,
        cast(null as varchar) as taxonomy_digest
    from {{ ref('fct_feedback') }} as feedback
    inner join {{ ref('rule_modes') }} as rule_modes on feedback.rule = rule_modes.rule
    inner join {{ ref('int_mode_successors') }} as modes on rule_modes.mode_id = modes.mode_id
    where feedback.is_current and feedback.report_kind = 'automated'
),

placed as (
    select *, row_number() over (partition by event_key, mode_id order by assigned_rank, model_version) as place
    from shown
)

select
    event_key,
    event_id,
    mode_id,
    row_number() over (partition by event_key order by assigned_rank, mode_id) as rank,
    confidence,
    text_hash,
    model_version,
    taxonomy_digest
from placed
where place = 1
