-- Current comments and reports with what failure modes are counted by. What a colleague reports is internal, whoever the
-- answer was served to.
with languages as (
    select text_hash, min(language) as language
    from {{ ref('int_texts') }}
    where language <> 'und'
    group by text_hash
),

written as (
    select
        feedback.event_key,
        {{ utc_day('feedback.happened_at') }} as day,
        feedback.happened_at,
        -- Whether that is when it was said, and not when it arrived.
        feedback.occurred_at is not null and not feedback.is_skewed as is_dated,
        feedback.import_id is not null as is_imported,
        feedback.checkpoint_id,
        responses.experiment_id,
        responses.variant,
        coalesce(languages.language, feedback.language) as language,
        feedback.source,
        case when feedback.report_kind = 'dogfood' then 'internal' else feedback.audience end as audience,
        feedback.source || '|' || feedback.voter as author_key,
        coalesce('response|' || feedback.response_id, feedback.target_kind || '|' || feedback.target_id) as answer_key,
        feedback.text_hash,
        coalesce(alike.group_hash, feedback.text_hash) as complaint_key,
        feedback.is_negative,
        feedback.judged_negative,
        coalesce(feedback.report_kind = 'automated', false) as is_automated
    from {{ ref('fct_feedback') }} as feedback
    left join {{ ref('int_responses') }} as responses on feedback.response_id = responses.response_id
    left join languages on feedback.text_hash = languages.text_hash
    left join {{ ref('int_text_groups') }} as alike on feedback.text_hash = alike.text_hash
    where feedback.kind in ('comment', 'report') and feedback.is_current
)

select *, {{ cell_key() }} as cell_key
from written
