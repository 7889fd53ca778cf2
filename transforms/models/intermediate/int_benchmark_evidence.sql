-- What stands in a private benchmark that has not ended: live evals leave it, since each of their results is a look at it.
with frozen as (
    select spec_id, evidence
    from {{ ref('stg_specs__evals_issued') }}
    where spec_key like 'bench:%'
        and spec_id not in (select spec_id from {{ ref('stg_specs__retired') }})
)

select distinct element as event_key
from {{ json_elements('frozen', 'spec_id', 'evidence') }} as listed
