-- Cohorts of metrics whose early and late days are made anew: those that are over since the last build, and those of which a day
-- was touched after they were.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_ab_days') }}, {{ ref('int_unit_days') }}, {{ ref('int_exposed_units') }}, {{ ref('dim_metrics') }}
-- depends_on: {{ ref('int_former_exposed') }}

{% if is_incremental() %}
with ends as (
    select
        (select max(day) from {{ former('int_unit_days') }}) as former,
        (select max(day) from {{ ref('int_unit_days') }}) as newest
),

cohorts as (
    select distinct metrics.metric, metrics.half_days, units.exposed_day
    from (
        select exposed_day from {{ ref('int_exposed_units') }} union select exposed_day from {{ ref('int_former_exposed') }}
    ) as units
    cross join ({{ halved() }}) as metrics
    cross join ends
    where units.exposed_day + 2 * metrics.half_days - 1 <= ends.newest
)

select cohorts.metric, cohorts.exposed_day
from cohorts
cross join ends
where ends.former is null or cohorts.exposed_day + 2 * cohorts.half_days - 1 > ends.former
union
select cohorts.metric, cohorts.exposed_day
from cohorts
inner join {{ ref('int_touched_ab_days') }} as touched
    on cohorts.metric = touched.metric and touched.day between cohorts.exposed_day and cohorts.exposed_day + 2 * cohorts.half_days - 1
{% else %}
select metric, day as exposed_day from {{ ref('int_touched_ab_days') }} where false
{% endif %}
