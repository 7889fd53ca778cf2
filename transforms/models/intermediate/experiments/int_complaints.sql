-- Answers that persons complained about in words, once it is known what fails.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_former_complaints') }}

select feedback.response_id, count(distinct feedback.event_key) as complaints
from {{ ref('fct_feedback') }} as feedback
inner join {{ ref('fct_feedback_modes') }} as modes on feedback.event_key = modes.event_key
where feedback.response_id is not null
    and feedback.is_current
    and modes.mode_id <> 'praise'
    and feedback.report_kind is distinct from 'automated'
group by feedback.response_id
