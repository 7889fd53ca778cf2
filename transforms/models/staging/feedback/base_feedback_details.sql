-- What feedback has beyond thumbs, by its place in the log.
{{ config(materialized='remade') }}

select
    log_partition,
    log_offset,
    received_at,
    better,
    choice,
    data_type,
    epoch,
    explanation,
    first_id,
    first_kind,
    job_id,
    judge_version,
    kind,
    label,
    link,
    rating,
    response_id,
    rule,
    rule_version,
    scale_max,
    scale_min,
    second_id,
    second_kind,
    status,
    steps,
    text,
    value
from {{ arrivals('feedback') }} as landed
where type <> 'feedback.thumb_given.v2' and error is null
