{{ config(materialized='incremental', incremental_strategy='append') }}

select
{{ envelope() }},
    author_id,
    author_kind,
    better,
    data_type,
    epoch,
    job_id,
    kind,
    label,
    link,
    metric,
    native_id,
    rating,
    scale_max,
    scale_min,
    sequence,
    status,
    target_id,
    target_kind,
    text,
    thumb,
    value
from {{ arrivals('feedback') }} as landed
