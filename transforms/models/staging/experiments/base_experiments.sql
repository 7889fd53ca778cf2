{{ config(materialized='remade') }}

select
{{ envelope() }},
    anonymous_id,
    experiment_id,
    hypothesis,
    metric,
    person_id,
    reason,
    response_id,
    unit,
    value,
    variant,
    variants
from {{ arrivals('experiments') }} as landed
