select event_key, received_at, benchmark, version, samples, clusters, sha256, spec_id, replaces
from {{ events('specs', 'benchmark.frozen.v1') }} as frozen
