select event_key, received_at, log_offset, spec_id, reason
from {{ events('specs', 'spec.retired.v1') }} as retired
