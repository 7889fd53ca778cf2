with texts as (
    select
        modes.mode_id,
        modes.confidence,
        modes.text_hash,
        feedback.event_key,
        feedback.event_id,
        feedback.text,
        row_number() over (
            partition by modes.mode_id, modes.text_hash order by feedback.event_key
        ) as copy
    from {{ ref('fct_feedback_modes') }} as modes
    inner join {{ ref('fct_feedback') }} as feedback on modes.event_key = feedback.event_key
    where modes.text_hash is not null  -- a rule's words are no example of what people say
),

placed as (
    select *, row_number() over (partition by mode_id order by confidence desc, text_hash) as rank
    from texts
    where copy = 1
)

select mode_id, rank, event_key, event_id, text, confidence
from placed
where rank <= 10
