with issued as (
    select * from {{ ref('stg_specs__evals_issued') }}
    union all
    select * from {{ ref('stg_specs__trainings_issued') }}
    union all
    select * from {{ ref('stg_specs__judgings_issued') }}
),

placed as (
    select
        *,
        row_number() over (partition by spec_id order by log_offset) as place,
        row_number() over (partition by spec_key order by revision desc, log_offset) as age
    from issued
)

select spec_id, spec_key, revision, kind, mode_id, samples, received_at as issued_at, age = 1 as is_latest
from placed
where place = 1
