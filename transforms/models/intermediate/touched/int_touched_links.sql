-- Targets that stand for something else since the last build: ids of touched responses, now or before, and of rollouts.
-- depends_on: {{ ref('int_target_responses') }}, {{ ref('int_touched_turns') }}, {{ ref('int_touched_rollouts') }}, {{ ref('int_touched_responses') }}

select target_kind, target_id, hash(target_id) as target_hash
from (
    select distinct linked.target_kind, linked.target_id
    from {{ ref('int_target_responses') }} as linked
    where {{ only_touched('linked', 'int_touched_turns', ['response_id']) if is_incremental() else 'false' }}
{% if is_incremental() %}
{% for kind in ['response', 'message', 'trace', 'span', 'conversation'] %}
    union
    select '{{ kind }}' as target_kind, old.{{ kind }}_id as target_id
    from {{ former('fct_responses') }} as old
    where old.{{ kind }}_id is not null and {{ is_touched('old', 'int_touched_responses', ['response_id']) }}
{% endfor %}
    union
    select 'trace' as target_kind, rollout_id as target_id from {{ ref('int_touched_rollouts') }}
{% endif %}
) as linked
