-- What an id of each kind stands for. Where several responses share one (a trace of many spans, a conversation of many
-- turns), only what they agree on is known of the target.
{% set shared = ['response_id', 'conversation_id', 'side_key', 'side', 'model', 'checkpoint_id', 'language', 'audience'] %}

with named as (
    select linked.*, sides.side, greatest(linked.updated_at, sides.updated_at) as changed_at
    from {{ ref('int_target_responses') }} as linked
    inner join {{ ref('int_sides') }} as sides on linked.side_key = sides.side_key
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
