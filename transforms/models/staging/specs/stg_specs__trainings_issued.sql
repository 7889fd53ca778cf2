select
    event_key,
    received_at,
    spec_id,
    spec_key,
    revision,
    'training' as kind,
    {{ json_text('spec', '$.mode_id') }} as mode_id,
    cast({{ json_text('spec', '$.data.rows') }} as bigint) as samples
from {{ events('specs', 'spec.training_issued.v1') }} as issued
