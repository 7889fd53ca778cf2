-- Which side each conversation is on. What specs have used decides: a conversation stays where its first use put it, also
-- when that use knew it by another id. Where two used ones turn out to be one, it is on neither side: each event keeps the
-- side that used it, but training loses what it had (fct_feedback). What nobody has used goes by the hash of its id.
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_sides', ['side_key']) }}"
) }}
with written as (
    select event_key, target_kind, target_id from {{ ref('stg_feedback__comments') }}
    union all
    select event_key, target_kind, target_id from {{ ref('stg_feedback__reports') }}
),

uses as (
    select issued.side, issued.first_issued_at, linked.response_id
    from {{ ref('int_issued_evidence') }} as issued
    inner join written on issued.event_key = written.event_key
    inner join {{ ref('int_target_responses') }} as linked
        on written.target_kind = linked.target_kind and written.target_id = linked.target_id

    union all

    select issued.side, issued.first_issued_at, served.response_id
    from {{ ref('int_issued_evidence') }} as issued
    inner join {{ ref('stg_responses__served') }} as served on issued.event_key = served.event_key
),

conversations as (
    select
        responses.side_key,
        count(*) filter (where uses.side = 'eval') > 0 as is_used_by_eval,
        count(*) filter (where uses.side = 'training') > 0 as is_used_by_training,
        max(greatest(uses.first_issued_at, responses.updated_at)) filter (where uses.side is not null) as updated_at
    from {{ ref('int_responses') }} as responses
    left join uses on responses.response_id = uses.response_id
    where {{ only_touched('responses', 'int_touched_sides', ['side_key']) }}
    group by responses.side_key
)

select
    side_key,
    case
        when is_used_by_eval and is_used_by_training then null
        when is_used_by_eval then 'eval'
        when is_used_by_training then 'training'
        else {{ side('side_key') }}
    end as side,
    is_used_by_eval,
    is_used_by_training,
    updated_at
from conversations
