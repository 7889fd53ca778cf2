-- The responses that an id of each kind stands for, with what is asked of them.
{% set kinds = {
    'response': 'response_id', 'message': 'message_id', 'trace': 'trace_id', 'span': 'span_id', 'conversation': 'conversation_id'
} %}

{% for kind, column in kinds.items() %}
select
    '{{ kind }}' as target_kind,
    {{ column }} as target_id,
    response_id,
    conversation_id,
    side_key,
    model,
    checkpoint_id,
    language,
    audience,
    updated_at
from {{ ref('int_responses') }}
where {{ column }} is not null
{% if not loop.last %}union all{% endif %}
{% endfor %}
