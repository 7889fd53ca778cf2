with members as (
    select mode_id, element as event_id
    from {{ json_elements(ref('stg_taxonomy__modes_proposed'), 'mode_id', 'member_ids') }} as listed
)

select distinct members.mode_id, texts.text_hash
from members
inner join {{ ref('base_feedback') }} as feedback on members.event_id = feedback.event_id
inner join {{ ref('int_texts') }} as texts on md5(feedback.text) = texts.text_key
where feedback.error is null
