{{ config(materialized='incremental', incremental_strategy='append') }}

select
{{ envelope() }},
    accepted_by,
    centroid,
    discovery_id,
    embedding,
    event_ids,
    left_over,
    medoid_id,
    member_ids,
    mode_id,
    name,
    proposed,
    reason,
    taxonomy_digest,
    terms
from {{ arrivals('taxonomy') }} as landed
