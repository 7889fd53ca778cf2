-- What an id of each kind stands for. Where several responses share one (a trace of many spans, a conversation of many
-- turns), only what they agree on is known of the target.
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_links', ['target_kind', 'target_id']) }}"
) }}
{% set shared = ['response_id', 'conversation_id', 'side_key', 'side', 'model', 'checkpoint_id', 'language', 'audience'] %}

with named as (
    select linked.*, sides.side, greatest(linked.updated_at, sides.updated_at) as changed_at
    from {{ ref('int_target_responses') }} as linked
    inner join {{ ref('int_sides') }} as sides on linked.side_key = sides.side_key
    where {{ only_touched('linked', 'int_touched_links', ['target_kind', 'target_id']) }}
),

-- A rollout that nobody was shown as a response is known all the same, and is evidence for neither side.
unserved as (
    select rollouts.*
    from {{ ref('int_rollouts') }} as rollouts
    left join named on named.target_kind = 'trace' and rollouts.rollout_id = named.target_id
    where named.target_id is null
        {% if is_incremental() %}
        and rollouts.rollout_id in (select target_id from {{ ref('int_touched_links') }} where target_kind = 'trace')
        {% endif %}
)

select
    target_kind,
    target_id,
    count(*) as responses,
    max(changed_at) as updated_at,
    {% for column in shared %}
    case when count({{ column }}) = count(*) and min({{ column }}) = max({{ column }}) then min({{ column }}) end as {{ column }}{{ ',' if not loop.last }}
    {% endfor %}
from named
group by target_kind, target_id

union all

select
    'trace' as target_kind,
    rollout_id as target_id,
    0 as responses,
    updated_at,
    cast(null as varchar) as response_id,
    conversation_id,
    cast(null as varchar) as side_key,
    cast(null as varchar) as side,
    model,
    checkpoint_id,
    cast(null as varchar) as language,
    audience
from unserved
