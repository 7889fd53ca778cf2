-- The side of a response as evidence itself: that of its conversation, but an eval keeps what it has used.
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_turns', ['response_id']) }}"
) }}
with used as (
    select distinct served.response_id
    from {{ ref('int_issued_evidence') }} as issued
    inner join {{ ref('stg_responses__served') }} as served on issued.event_key = served.event_key
    where issued.side = 'eval' and issued.is_first_use
)

select
    responses.response_id,
    case when used.response_id is not null then 'eval' else sides.side end as side
from {{ ref('int_responses') }} as responses
inner join {{ ref('int_sides') }} as sides on responses.side_key = sides.side_key
left join used on responses.response_id = used.response_id
where {{ only_touched('responses', 'int_touched_turns', ['response_id']) }}
