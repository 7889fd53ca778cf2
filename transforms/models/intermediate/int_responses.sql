-- A response may be written twice: by an importer that doesn't know its text, and by the product that does. Each field is
-- the first that is known, the copies with text before those without.
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_responses', ['response_id']) }}"
) }}
{% set fields = [
    'prompt', 'completion', 'conversation_id', 'person_id', 'message_id', 'trace_id', 'span_id', 'model', 'checkpoint_id', 'experiment_id',
    'variant', 'language', 'latency_ms', 'cost_usd', 'tool_calls', 'occurred_at'
] %}

with served as (
    select
        *,
        row_number() over (
            partition by response_id
            order by completion is null, prompt is null, received_at, log_partition, log_offset, event_key
        ) as place
    from {{ ref('stg_responses__served') }} as landed
    where {{ only_touched('landed', 'int_touched_responses', ['response_id']) }}
),

merged as (
    select
        response_id,
        min_by(event_key, place) as event_key,
        min_by(event_id, place) as event_id,
        min_by(source, place) as source,
        min_by(audience, place) as audience,
        min(received_at) as received_at,
        max(received_at) as updated_at,
        {% for field in fields %}
        min_by({{ field }}, place) filter (where {{ field }} is not null) as {{ field }}{{ ',' if not loop.last }}
        {% endfor %}
    from served
    group by response_id
)

select *, coalesce(conversation_id, response_id) as side_key
from merged
