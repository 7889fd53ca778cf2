-- What an id of each kind stands for. Where several responses share one (a trace of many spans, a conversation of many
-- turns), only what they agree on is known of the target.
{% set kinds = {
    'response': 'response_id', 'message': 'message_id', 'trace': 'trace_id', 'span': 'span_id', 'conversation': 'conversation_id'
} %}
{% set shared = ['response_id', 'conversation_id', 'side_key', 'side', 'model', 'checkpoint_id', 'language', 'audience'] %}

with named as (
    {% for kind, column in kinds.items() %}
    select '{{ kind }}' as target_kind, {{ column }} as target_id, {{ shared | join(', ') }}
    from {{ ref('int_responses') }}
    where {{ column }} is not null
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
)

select
    target_kind,
    target_id,
    count(*) as responses,
    {% for column in shared %}
    case when count({{ column }}) = count(*) and min({{ column }}) = max({{ column }}) then min({{ column }}) end as {{ column }}{{ ',' if not loop.last }}
    {% endfor %}
from named
group by target_kind, target_id
