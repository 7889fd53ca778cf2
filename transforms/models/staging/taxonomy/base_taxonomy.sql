{{ config(materialized='incremental', incremental_strategy='append') }}

select
{{ envelope() }},
    accepted_by,
    centroid,
    discovery_id,
    embedding,
    event_keys,
    left_over,
    medoid_key,
    member_keys,
    mode_id,
    name,
    proposed,
    reason,
    taxonomy_digest,
    terms
from {{ arrivals('taxonomy') }} as landed
