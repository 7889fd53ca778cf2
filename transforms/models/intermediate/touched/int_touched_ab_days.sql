-- Days of experiments that are made anew: of touched units, of changed first exposures, and the day on which it is known what a unit can do but once.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_baselines') }}, {{ ref('int_touched_exposed') }}, {{ ref('int_former_exposed') }}
-- depends_on: {{ ref('int_touched_unit_days') }}, {{ ref('int_former_unit_days') }}, {{ ref('int_unit_days') }}
-- depends_on: {{ ref('int_exposed_units') }}, {{ ref('dim_metrics') }}

{% if is_incremental() %}
with exposed as (
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

select day from touched
union
select touched.exposed_day + cast(metrics.matures as integer) as day
from touched
cross join (select {{ matures() }} as matures from {{ ref('dim_metrics') }}) as metrics
where metrics.matures is not null
{% else %}
select day from {{ ref('int_former_unit_days') }} where false
{% endif %}
