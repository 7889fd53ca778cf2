{{ config(materialized='remade') }}

select
{{ envelope() }},
    reason,
    revision,
    spec,
    spec_id,
    spec_key
from {{ arrivals('specs') }} as landed
