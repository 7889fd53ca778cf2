select event_key, received_at, mode_id, accepted_by, reason
from {{ events('taxonomy', 'taxonomy.mode_accepted.v1') }} as accepted
