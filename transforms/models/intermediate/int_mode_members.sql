with members as (
    select mode_id, element as event_key
    from {{ json_elements(ref('stg_taxonomy__modes_proposed'), 'mode_id', 'member_keys') }} as listed
)

select distinct members.mode_id, written.text_hash
from members
inner join {{ ref('int_written_feedback') }} as written on members.event_key = written.event_key
where written.text_hash is not null
