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
),

retired as (
    select spec_id, min(received_at) as retired_at, min_by(reason, log_offset) as retired_because from {{ ref('stg_specs__retired') }} group by spec_id
)

select
    placed.spec_id,
    placed.spec_key,
    placed.revision,
    placed.kind,
    placed.mode_id,
    placed.samples,
    placed.received_at as issued_at,
    retired.retired_at,
    retired.retired_because,
    placed.age = 1 and retired.retired_at is null as is_latest
from placed
left join retired on placed.spec_id = retired.spec_id
where placed.place = 1
