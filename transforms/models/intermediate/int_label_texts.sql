-- What persons say of texts, as what they say of the text that leads the group, with that text: what the classifier learns
-- from beside its examples.
with said as (
    select
        groups.group_hash as text_hash,
        labels.mode_id,
        bool_or(labels.is_disputed) over (partition by groups.group_hash) as is_disputed,
        max(labels.labelled_at) over (partition by groups.group_hash) as labelled_at,
        min(labels.event_key) over (partition by groups.group_hash) as labelled_key
    from {{ ref('int_mode_labels') }} as labels
    inner join {{ ref('int_text_groups') }} as groups on labels.text_hash = groups.text_hash
),

-- Whose words the text is: erasing them takes what is made of it.
writers as (
    select text_hash, min(event_key) as event_key
    from {{ ref('int_written_feedback') }}
    where text_hash in (select text_hash from said)
    group by text_hash
)

select distinct
    said.text_hash || '|' || coalesce(said.mode_id, '') as text_mode,
    said.text_hash,
    said.mode_id,
    said.is_disputed,
    said.labelled_at,
    coalesce(writers.event_key, said.labelled_key) as event_key,
    texts.normal_form as text
from said
inner join {{ ref('int_texts') }} as texts on said.text_hash = texts.text_hash
left join writers on said.text_hash = writers.text_hash
