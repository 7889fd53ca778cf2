-- The arms of experiments, the control first.
{{ config(meta=of_experiments()) }}

select
    experiment_id,
    position - 1 as place,
    json_extract_string(arm, '$.name') as variant,
    cast(json_extract(arm, '$.weight') as double) as weight,
    json_extract_string(arm, '$.checkpoint_id') as checkpoint_id
from (
    select
        experiment_id,
        unnest(cast(variants as json[])) as arm,
        generate_subscripts(cast(variants as json[]), 1) as position
    from {{ ref('int_experiments') }}
)
