{{ config(materialized='remade') }}

select
{{ envelope() }},
    benchmark,
    checkpoint_id,
    clusters,
    job_id,
    purpose,
    reason,
    replaces,
    revision,
    samples,
    sha256,
    spec,
    spec_id,
    spec_key,
    version
from {{ arrivals('specs') }} as landed
