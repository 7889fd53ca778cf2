{{ config(materialized='remade') }}

select
{{ envelope() }},
    canonical,
    artifact_sha256,
    attempts,
    checkpoint_id,
    epoch,
    job_id,
    kind,
    lease_s,
    look,
    owner,
    phase,
    reason,
    resumes_epoch,
    resumes_sha256,
    resumes_step,
    retryable,
    spec_id,
    step
from {{ arrivals('jobs') }} as landed
