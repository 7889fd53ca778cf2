-- The responses that an id of each kind stands for, with what is asked of them.
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_responses', ['response_id']) }}"
) }}
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
from {{ ref('int_responses') }} as responses
where {{ column }} is not null and {{ only_touched('responses', 'int_touched_responses', ['response_id']) }}
{% if not loop.last %}union all{% endif %}
{% endfor %}

union all

-- A rollout is a trace, also where the product gave the response that came of it no trace id, or another.
select
    'trace' as target_kind,
    rollouts.rollout_id as target_id,
    responses.response_id,
    responses.conversation_id,
    responses.side_key,
    responses.model,
    responses.checkpoint_id,
    responses.language,
    responses.audience,
    greatest(responses.updated_at, rollouts.updated_at) as updated_at
from {{ ref('int_rollouts') }} as rollouts
inner join {{ ref('int_responses') }} as responses on rollouts.response_id = responses.response_id
where responses.trace_id is distinct from rollouts.rollout_id
    and {{ only_touched('responses', 'int_touched_responses', ['response_id']) }}

