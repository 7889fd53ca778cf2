select
    feedback.event_key,
    feedback.event_id,
    assignments.mode_id,
    assignments.confidence,
    assignments.text_hash,
    assignments.model_version,
    assignments.taxonomy_digest
from {{ ref('fct_feedback') }} as feedback
inner join {{ ref('int_text_assignments') }} as assignments on feedback.text_hash = assignments.text_hash
inner join {{ ref('int_modes') }} as modes on assignments.mode_id = modes.mode_id
where feedback.is_current
