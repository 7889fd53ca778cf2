-- What persons said of automated reports: of each voter the last word. `native_id` is the report that was judged.
select
    {{ vote_columns() }},
    native_id as report_key,
    value,
    label,
    status,
    case when status = 'scored' then value >= 0.5 end as is_right,
    max(received_at) over (partition by source, native_id, voter) as updated_at,
    row_number() over (partition by source, native_id, voter {{ last_to_first() }}) = 1 as is_current
from {{ ref('stg_feedback__scores') }}
where {{ is_report_verdict() }}
