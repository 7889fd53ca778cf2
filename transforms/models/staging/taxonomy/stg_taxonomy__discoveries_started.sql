select event_key, received_at, discovery_id, event_keys, embedding, taxonomy_digest
from {{ events('taxonomy', 'taxonomy.discovery_started.v1') }} as started
