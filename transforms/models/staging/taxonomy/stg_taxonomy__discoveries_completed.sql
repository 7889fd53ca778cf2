select event_key, received_at, discovery_id, proposed, left_over
from {{ events('taxonomy', 'taxonomy.discovery_completed.v1') }} as completed
