{{ config(materialized='remade') }}

select
{{ envelope() }},
    case when type <> 'taxonomy.discovery_started.v1' then canonical end as canonical, -- its input is large, and a column
    baseline,
    centroid,
    comment_key,
    discovery_id,
    embedding,
    event_keys,
    high,
    kind,
    labelled_by,
    left_over,
    low,
    medoid_key,
    member_keys,
    message,
    mode_id,
    modes,
    name,
    part_of,
    proposed,
    subject,
    taxonomy_digest,
    terms,
    text_hash,
    value,
    window_end,
    window_start
from {{ arrivals('taxonomy') }} as landed
