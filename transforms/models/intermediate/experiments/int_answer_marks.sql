-- What is said of answers beside votes: complaints in words once it is known what fails, and the scores of evaluators.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_former_marks') }}

with complained as (
    select feedback.response_id, count(distinct feedback.event_key) as complaints
    from {{ ref('fct_feedback') }} as feedback
    inner join {{ ref('fct_feedback_modes') }} as modes on feedback.event_key = modes.event_key
    where feedback.response_id is not null
        and feedback.is_current
        and modes.mode_id <> 'praise'
        and {{ has_experiments() }}
        and feedback.report_kind is distinct from 'automated'
    group by feedback.response_id
),

scored as (
    select response_id, count(*) as evaluations, round(avg(level), 9) as evaluation
    from {{ ref('fct_feedback') }}
    where response_id is not null and kind = 'score' and is_current and author_kind <> 'human' and job_id is null
        and level is not null
        and {{ has_experiments() }}
    group by response_id
)

select
    response_id,
    coalesce(complained.complaints, 0) as complaints,
    coalesce(scored.evaluations, 0) as evaluations,
    scored.evaluation
from complained
full join scored using (response_id)
