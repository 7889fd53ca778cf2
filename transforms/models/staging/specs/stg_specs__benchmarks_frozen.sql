select
    event_key,
    received_at,
    log_offset,
    benchmark,
    version,
    samples,
    clusters,
    coalesce(effective, clusters) as effective,
    sees,
    shares,
    sha256,
    spec_id,
    replaces,
    canary
from {{ events('specs', 'benchmark.frozen.v1') }} as frozen
