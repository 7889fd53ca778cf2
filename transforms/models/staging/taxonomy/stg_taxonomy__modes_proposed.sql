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
    member_keys,
    medoid_key,
    part_of
from {{ events('taxonomy', 'taxonomy.mode_proposed.v1') }} as proposed
