{{ config(materialized='remade') }}

select
{{ envelope() }},
    certificate,
    events,
    files,
    person_id,
    reason,
    request_id,
    requested_by
from {{ arrivals('privacy') }} as landed
