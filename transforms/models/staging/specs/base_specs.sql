{{ config(materialized='incremental', incremental_strategy='append') }}

select
{{ envelope() }},
    reason,
    revision,
    spec,
    spec_id,
    spec_key
from {{ arrivals('specs') }} as landed
