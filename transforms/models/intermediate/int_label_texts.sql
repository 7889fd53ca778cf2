-- What persons say of texts, as what they say of the text that leads the group, with that text: what the classifier learns
-- from beside its examples.
with said as (
    select
        groups.group_hash as text_hash,
        labels.mode_id,
        bool_or(labels.is_disputed) over (partition by groups.group_hash) as is_disputed
    from {{ ref('int_mode_labels') }} as labels
    inner join {{ ref('int_text_groups') }} as groups on labels.text_hash = groups.text_hash
)

select distinct
    said.text_hash || '|' || coalesce(said.mode_id, '') as text_mode,
    said.text_hash,
    said.mode_id,
    said.is_disputed,
    texts.normal_form as text
from said
inner join {{ ref('int_texts') }} as texts on said.text_hash = texts.text_hash
