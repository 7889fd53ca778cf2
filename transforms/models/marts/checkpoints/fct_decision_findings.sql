-- The comparisons that each decision rests on, as the evidence in its event has them.
with listed as (
    select event_key, checkpoint_id, evidence from {{ ref('stg_checkpoints__promoted') }}
    union all
    select event_key, checkpoint_id, evidence from {{ ref('stg_checkpoints__refused') }}
),

found as (
    select
        event_key,
        checkpoint_id,
        unnest(json_extract(evidence, '$[*]')) as finding,
        generate_subscripts(json_extract(evidence, '$[*]'), 1) as number
    from listed
)

select
    event_key as decision_key,
    number,
    checkpoint_id,
    json_extract_string(finding, '$.bar') as bar,
    json_extract_string(finding, '$.spec_key') as spec_key,
    json_extract_string(finding, '$.spec_id') as spec_id,
    json_extract_string(finding, '$.against') as against,
    cast(json_extract_string(finding, '$.value') as double) as value,
    cast(json_extract_string(finding, '$.other') as double) as other,
    cast(json_extract_string(finding, '$.difference') as double) as difference,
    cast(json_extract_string(finding, '$.low') as double) as low,
    cast(json_extract_string(finding, '$.high') as double) as high,
    cast(json_extract_string(finding, '$.level') as double) as level,
    cast(json_extract_string(finding, '$.margin') as double) as margin,
    cast(json_extract_string(finding, '$.samples') as bigint) as samples,
    cast(json_extract_string(finding, '$.clusters') as bigint) as clusters,
    cast(json_extract_string(finding, '$.holds') as boolean) as holds,
    cast(json_extract_string(finding, '$.more_samples') as bigint) as more_samples,
    json_extract_string(finding, '$.reason') as reason
from found
