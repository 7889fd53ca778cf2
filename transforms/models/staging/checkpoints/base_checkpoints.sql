{{ config(materialized='remade') }}

select
{{ envelope() }},
    artifact_sha256,
    base_checkpoint_id,
    champion_id,
    checkpoint_id,
    data_sha256,
    epoch,
    evidence,
    job_id,
    lineage,
    method,
    more_samples,
    parent_ids,
    path,
    place,
    reason,
    replaces,
    role,
    spec_id,
    spent
from {{ arrivals('checkpoints') }} as landed
