select
    event_key,
    received_at,
    log_offset,
    mode_id,
    discovery_id,
    name,
    terms,
    centroid,
    embedding,
    member_ids,
    medoid_id
from {{ events('taxonomy', 'taxonomy.mode_proposed.v1') }} as proposed
