{{ config(materialized='remade') }}

select
{{ envelope() }},
    benchmark,
    better,
    canary,
    checkpoint_id,
    clusters,
    effective,
    job_id,
    purpose,
    reason,
    replaces,
    revision,
    samples,
    sees,
    shares,
    sha256,
    spec,
    spec_id,
    spec_key,
    version
from {{ arrivals('specs') }} as landed
