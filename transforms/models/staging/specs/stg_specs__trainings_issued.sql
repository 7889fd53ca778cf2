select
    event_key,
    received_at,
    log_offset,
    spec_id,
    spec_key,
    revision,
    'training' as kind,
    {{ json_text('spec', '$.mode_id') }} as mode_id,
    cast({{ json_text('spec', '$.data.rows') }} as bigint) as samples,
    {{ json_text('spec', '$.evidence') }} as evidence
from {{ events('specs', 'spec.training_issued.v1') }} as issued
