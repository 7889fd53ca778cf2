-- Days of metrics that are made anew, in all experiments: of touched units, and of changed first exposures.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_baselines') }}, {{ ref('int_touched_exposed') }}, {{ ref('int_former_exposed') }}
-- depends_on: {{ ref('int_touched_unit_days') }}, {{ ref('int_former_unit_days') }}, {{ ref('int_unit_days') }}
-- depends_on: {{ ref('int_exposed_units') }}, {{ ref('dim_metrics') }}

{% if is_incremental() %}
with metrics as (
    select metric, coalesce(from_day, 0) as from_day, {{ matures() }} as matures from {{ ref('dim_metrics') }}
),

exposed as (
    select units.experiment_id, units.unit_hash, units.exposed_day from {{ ref('int_exposed_units') }} as units
    union
    select experiment_id, unit_hash, exposed_day from {{ ref('int_former_exposed') }}
),

-- Whose past or first exposure is another, all their days are.
renewed as (
    select exposed.unit_hash, exposed.exposed_day
    from exposed
    where {{ is_touched('exposed', 'int_touched_baselines', ['experiment_id', 'unit_hash']) }}
),

days as (
    select unit_hash, exposed_day as day from renewed
    union
    select days.unit_hash, days.day
    from {{ ref('int_unit_days') }} as days
    inner join renewed on days.unit_hash = renewed.unit_hash and days.day >= renewed.exposed_day
    union
    select unit_hash, day from {{ ref('int_touched_unit_days') }}
    union
    select unit_hash, day from {{ ref('int_former_unit_days') }}
),

touched as (
    select distinct exposed.exposed_day, days.day
    from days
    inner join exposed on days.unit_hash = exposed.unit_hash and days.day >= exposed.exposed_day
)

select metrics.metric, days.day
from (select distinct day from touched) as days
cross join metrics
where metrics.matures is null
union
-- What a unit can do but once is known when its days are over, whichever of them it was.
select metrics.metric, touched.exposed_day + cast(metrics.matures as integer) as day
from touched
inner join metrics
    on metrics.matures is not null
    and (
        touched.day = touched.exposed_day
        or touched.day - touched.exposed_day between metrics.from_day and metrics.matures
    )
{% else %}
select metric, day from {{ ref('int_former_unit_days') }} where false
{% endif %}
