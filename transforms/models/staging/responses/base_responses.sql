{{ config(materialized='incremental', incremental_strategy='append') }}

select
{{ envelope() }},
    audience,
    checkpoint_id,
    completion,
    conversation_id,
    cost_usd,
    experiment_id,
    language,
    latency_ms,
    message_id,
    model,
    person_id,
    prompt,
    response_id,
    span_id,
    tool_calls,
    trace_id,
    variant
from {{ arrivals('responses') }} as landed
