-- Texts that a spec may be made of: current comments and reports with words, what they are about, and the mode that they show
-- most clearly, once it is seeded or accepted.
select
    feedback.event_key,
    feedback.conversation_id,
    feedback.checkpoint_id,
    feedback.target_kind,
    feedback.target_id,
    feedback.text,
    feedback.text_hash,
    responses.prompt,
    responses.completion,
    feedback.is_negative,
    feedback.side,
    modes.mode_id as any_mode_id,
    case when known.status <> 'proposed' then modes.mode_id end as mode_id
from {{ ref('fct_feedback') }} as feedback
left join {{ ref('fct_feedback_modes') }} as modes on feedback.event_key = modes.event_key and modes.rank = 1
left join {{ ref('int_modes') }} as known on modes.mode_id = known.mode_id
left join {{ ref('int_responses') }} as responses on feedback.response_id = responses.response_id
where feedback.is_current and feedback.kind in ('comment', 'report') and feedback.text_hash is not null
