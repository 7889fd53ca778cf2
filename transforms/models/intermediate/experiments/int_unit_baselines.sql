-- What a unit had of a metric up to its first exposure: all of it (`c0_*`), and in the days before that CUPED compares with
-- (`p` above, `q` below the line). Who had nothing has no row.
{{ config(
    materialized='remade', meta=of_experiments(),
    pre_hook="{{ forget('int_touched_baselines', ['experiment_id', 'unit_hash']) }}"
) }}

with units as (
    select experiment_id, unit_kind, unit_key, unit_hash, exposed_at, exposed_day
    from {{ ref('int_exposed_units') }} as exposed
    where fault is null and {{ only_touched('exposed', 'int_touched_baselines', ['experiment_id', 'unit_hash']) }}
),

earlier as (
    select
        units.experiment_id,
        units.unit_kind,
        units.unit_key,
        units.unit_hash,
        days.metric,
        max_by(days.cum_y, days.day) as cum_y,
        max_by(days.cum_d, days.day) as cum_d,
        coalesce(max_by(days.cum_y, days.day) filter (where days.day < units.exposed_day - {{ var('cuped_days') }}), 0) as old_y,
        coalesce(max_by(days.cum_d, days.day) filter (where days.day < units.exposed_day - {{ var('cuped_days') }}), 0) as old_d
    from units
    inner join {{ ref('int_unit_days') }} as days
        on units.unit_hash = days.unit_hash and units.unit_kind = days.unit_kind and units.unit_key = days.unit_key
        and days.day < units.exposed_day
    group by units.experiment_id, units.unit_kind, units.unit_key, units.unit_hash, days.metric
),

observed as (
    {{ observations(
        'answers.day in (select exposed_day from units) and exists (select 1 from units where units.unit_hash = answers.unit_hash and units.exposed_day = answers.day)',
        'seen.day in (select exposed_day from units) and exists (select 1 from units where units.unit_hash = seen.unit_hash and units.exposed_day = seen.day)',
        feeds()
    ) }}
),

-- On the day itself, before it.
same_day as (
    select
        units.experiment_id,
        units.unit_kind,
        units.unit_key,
        units.unit_hash,
        observed.metric,
        coalesce(sum(observed.amount) filter (where observed.side = 'numerator'), 0) as y,
        coalesce(sum(observed.amount) filter (where observed.side = 'denominator'), 0) as d
    from units
    inner join observed
        on units.unit_hash = observed.unit_hash and units.unit_kind = observed.unit_kind and units.unit_key = observed.unit_key
        and units.exposed_day = observed.day and observed.happened_at < units.exposed_at
    group by units.experiment_id, units.unit_kind, units.unit_key, units.unit_hash, observed.metric
)

select
    experiment_id,
    unit_kind,
    unit_key,
    unit_hash,
    metric,
    cast(coalesce(earlier.cum_y, 0) + coalesce(same_day.y, 0) as {{ amount() }}) as c0_y,
    cast(coalesce(earlier.cum_d, 0) + coalesce(same_day.d, 0) as {{ amount() }}) as c0_d,
    cast(coalesce(earlier.cum_y - earlier.old_y, 0) + coalesce(same_day.y, 0) as double) as p,
    cast(coalesce(earlier.cum_d - earlier.old_d, 0) + coalesce(same_day.d, 0) as double) as q
from earlier
full join same_day using (experiment_id, unit_kind, unit_key, unit_hash, metric)
