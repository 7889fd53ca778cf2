{{ config(materialized='remade') }}

select
{{ envelope() }},
    artifact_sha256,
    base_checkpoint_id,
    checkpoint_id,
    data_sha256,
    epoch,
    job_id,
    method,
    parent_ids,
    path,
    role,
    spec_id
from {{ arrivals('checkpoints') }} as landed
