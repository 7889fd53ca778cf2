-- Days of touched units from the first that is touched on, as the last build had them: their running sums change with it.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_unit_days') }}, {{ ref('dim_metrics') }}

{% if is_incremental() %}
select old.*
from {{ former('int_unit_days') }} as old
inner join (
    select unit_hash, min(day) as since from {{ ref('int_touched_unit_days') }} group by unit_hash
) as touched
    on old.unit_hash = touched.unit_hash and old.day >= touched.since
{% else %}
select
    metric,
    metric as unit_kind,
    metric as unit_key,
    cast(null as ubigint) as unit_hash,
    cast(null as date) as day,
    cast(null as {{ amount() }}) as y,
    cast(null as {{ amount() }}) as d,
    cast(null as {{ amount() }}) as cum_y,
    cast(null as {{ amount() }}) as cum_d
from {{ ref('dim_metrics') }}
where false
{% endif %}
