-- Texts that one side loses because they stand, nearly word for word, on the other. What specs have used comes first: eval
-- loses a text that training has seen, unless an eval had used it before; then training loses what evals hold or have held.
with issued as (
    select issued.side, written.text_hash
    from {{ ref('int_issued_evidence') }} as issued
    inner join {{ ref('int_written_feedback') }} as written on issued.event_key = written.event_key
    where written.has_words
),

issued_to_eval as (select text_hash from issued where side = 'eval'),

issued_to_training as (select text_hash from issued where side = 'training'),

new_to_eval as (
    select text_hash
    from {{ ref('int_evidence') }}
    where side = 'eval' and text_hash not in (select text_hash from issued_to_eval)
),

lost_by_eval as (
    select text_hash from {{ near_texts('new_to_eval', 'issued_to_training') }} as near
),

held_out as (
    select text_hash from issued_to_eval
    union all
    select text_hash from new_to_eval where text_hash not in (select text_hash from lost_by_eval)
),

of_training as (
    select text_hash from {{ ref('int_evidence') }} where side = 'training'
)

select 'eval' as lost_by, text_hash from lost_by_eval
union all
select 'training' as lost_by, text_hash from {{ near_texts('of_training', 'held_out') }} as near
