with named as (
    select mode_id, element as event_key, false as is_by_person
    from {{ json_elements(ref('stg_taxonomy__modes_proposed'), 'mode_id', 'member_keys') }} as listed

    union all

    select mode_id, event_key, true as is_by_person
    from {{ ref('int_team_examples') }}
    where event_key is not null
)

select named.mode_id, written.text_hash, max(named.is_by_person) as is_by_person
from named
inner join {{ ref('int_mode_successors') }} as known on named.mode_id = known.mode_id
inner join {{ ref('int_written_feedback') }} as written on named.event_key = written.event_key
where written.text_hash is not null
group by named.mode_id, written.text_hash
