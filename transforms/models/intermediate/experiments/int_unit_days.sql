-- What a unit's day adds to a metric, above (`y`) and below the line (`d`), with the running sums up to its end. A unit's sum since
-- its exposure is a difference of two, so that a day of an experiment is made from the rows of that day alone.
{{ config(
    materialized='remade', meta=of_experiments(),
    pre_hook="{{ forget('int_former_unit_days', ['unit_hash', 'day']) }}"
) }}
-- depends_on: {{ ref('int_former_unit_days') }}, {{ ref('int_touched_unit_days') }}

with observed as (
    {{ observations(
        of_touched_day('answers', 'int_touched_unit_days') ~ only_touched('answers', 'int_touched_unit_days', ['unit_hash', 'day']),
        of_touched_day('seen', 'int_touched_unit_days') ~ only_touched('seen', 'int_touched_unit_days', ['unit_hash', 'day']),
        feeds()
    ) }}
),

made as {{ 'materialized' if is_incremental() }} (
    select
        metric,
        unit_kind,
        unit_key,
        unit_hash,
        day,
        coalesce(sum(amount) filter (where side = 'numerator'), 0) as y,
        coalesce(sum(amount) filter (where side = 'denominator'), 0) as d
    from observed
    group by metric, unit_kind, unit_key, unit_hash, day
    {% if is_incremental() %}
    union all
    select metric, unit_kind, unit_key, unit_hash, day, y, d
    from {{ ref('int_former_unit_days') }} as old
    where not {{ is_touched('old', 'int_touched_unit_days', ['unit_hash', 'day']) }}
    {% endif %}
)

{% if is_incremental() %}
, before as (
    select metric, unit_kind, unit_key, unit_hash, max_by(cum_y, day) as cum_y, max_by(cum_d, day) as cum_d
    from {{ this }} as kept
    where (kept.unit_hash, kept.metric) in (select (unit_hash, metric) from made)
    group by metric, unit_kind, unit_key, unit_hash
)
{% endif %}

select
    made.metric,
    made.unit_kind,
    made.unit_key,
    made.unit_hash,
    made.day,
    cast(made.y as {{ amount() }}) as y,
    cast(made.d as {{ amount() }}) as d,
    cast(sum(made.y) over until{{ ' + coalesce(before.cum_y, 0)' if is_incremental() }} as {{ amount() }}) as cum_y,
    cast(sum(made.d) over until{{ ' + coalesce(before.cum_d, 0)' if is_incremental() }} as {{ amount() }}) as cum_d
from made
{% if is_incremental() %}
left join before
    on made.unit_hash = before.unit_hash and made.metric = before.metric
    and made.unit_kind = before.unit_kind and made.unit_key = before.unit_key
{% endif %}
window until as (partition by made.metric, made.unit_kind, made.unit_key order by made.day)
