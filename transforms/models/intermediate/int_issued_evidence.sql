-- What eval and training specs were made of, by the log: a spec that was issued stays issued. What judges only score is not
-- evidence; nor is what the classifier learns, since no eval is held against it: persons label texts of both sides.
with issued as (
    select 'eval' as side, log_offset, received_at, evidence from {{ ref('stg_specs__evals_issued') }}
    union all
    select 'training' as side, log_offset, received_at, evidence from {{ ref('stg_specs__trainings_issued') }}
    where spec_key <> 'train:all:classifier'
),

used as (
    select element as event_key, side, min(log_offset) as first_offset, min(received_at) as first_issued_at
    from {{ json_elements('issued', 'side, log_offset, received_at', 'evidence') }} as listed
    group by element, side
)

select
    event_key,
    side,
    first_issued_at,
    row_number() over (partition by event_key order by first_offset) = 1 as is_first_use
from used
