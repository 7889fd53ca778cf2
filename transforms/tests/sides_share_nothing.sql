-- No event, conversation or near-duplicate text is evidence for both an eval and a training run: not between what would be
-- issued now, nor between that and what was issued. Issued specs can't be changed, so what only later turned out to be one
-- conversation is not held against them, nor against what an eval has used: but no event was ever issued to both sides.
with samples as (
    select sample_id as event_key, 'training' as side, 'next' as issue from {{ ref('sync_spec_samples') }} where spec_key = 'train:all:judge'
    union
    select sample_id as event_key, 'eval' as side, 'next' as issue from {{ ref('sync_spec_samples') }} where spec_key like 'eval:%'
    union
    select event_key, side, 'issued' as issue from {{ ref('int_issued_evidence') }}
),

conversations as (
    select feedback.event_key, linked.side_key
    from {{ ref('fct_feedback') }} as feedback
    inner join {{ ref('int_target_responses') }} as linked
        on feedback.target_kind = linked.target_kind and feedback.target_id = linked.target_id
    union
    select served.event_key, responses.side_key
    from {{ ref('stg_responses__served') }} as served
    inner join {{ ref('int_responses') }} as responses on served.response_id = responses.response_id
),

new_to_eval as (
    select event_key from samples where side = 'eval' and issue = 'next'
    except
    select event_key from samples where side = 'eval' and issue = 'issued'
),

training_next as (select event_key from samples where side = 'training' and issue = 'next'),
of_training as (select event_key from samples where side = 'training'),
issued_to_training as (select event_key from samples where side = 'training' and issue = 'issued'),
of_eval as (select event_key from samples where side = 'eval'),

texts as (
    select event_key, text_hash from {{ ref('int_written_feedback') }} where has_words
),

training_next_texts as (select text_hash from texts where event_key in (select event_key from training_next)),
issued_to_training_texts as (select text_hash from texts where event_key in (select event_key from issued_to_training)),
of_eval_texts as (select text_hash from texts where event_key in (select event_key from of_eval)),
new_to_eval_texts as (
    select text_hash
    from texts
    where event_key in (select event_key from new_to_eval)
        and text_hash not in (
            select issued.text_hash
            from texts as issued
            inner join samples on issued.event_key = samples.event_key and samples.side = 'eval' and samples.issue = 'issued'
        )
)

select 'event' as shared, event_key as what
from of_training
where event_key in (select event_key from of_eval)

union all

select 'conversation of what training would use' as shared, ours.side_key as what
from conversations as ours
inner join training_next on ours.event_key = training_next.event_key
where ours.side_key in (select side_key from conversations where event_key in (select event_key from of_eval))

union all

select 'conversation of what an eval would newly use' as shared, ours.side_key as what
from conversations as ours
inner join new_to_eval on ours.event_key = new_to_eval.event_key
where ours.side_key in (select side_key from conversations where event_key in (select event_key from issued_to_training))

union all

select 'text that training would use' as shared, text_hash as what
from {{ near_texts('training_next_texts', 'of_eval_texts') }} as near

union all

select 'text that an eval would newly use' as shared, text_hash as what
from {{ near_texts('new_to_eval_texts', 'issued_to_training_texts') }} as near
