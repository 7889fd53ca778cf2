{{ config(materialized='remade') }}

select
{{ envelope() }},
    anonymous_id,
    case when anonymous_id is not null then hash(anonymous_id) end as anonymous_hash,
    experiment_id,
    hypothesis,
    metric,
    person_id,
    plan_alpha,
    plan_days,
    plan_effect,
    plan_guardrails,
    plan_metric,
    plan_power,
    plan_units,
    reason,
    response_id,
    salt,
    unit,
    value,
    variant,
    variants,
    {{ utc_day(happened_at()) }} as day
from {{ arrivals('experiments') }} as landed
