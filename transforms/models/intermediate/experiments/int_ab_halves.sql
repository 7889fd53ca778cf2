-- Of units whose days are over, what they had in the later half of them (`y` over `d`) and in the earlier one (`p` over `q`), with
-- the products that `stats/novelty.py` wants: whether an effect fades. Metrics that add up, and a window of two days at least.
-- depends_on: {{ ref('int_touched_ab_cohorts') }}
{{ config(
    materialized='remade', meta=of_experiments(),
    pre_hook="{{ forget('int_touched_ab_cohorts', ['metric', 'exposed_day']) }}"
) }}

with newest as (
    select max(day) as day from {{ ref('int_unit_days') }}
),

cohorts as (
    select units.experiment_id, units.unit_kind, units.exposed_day, metrics.*
    from (
        select distinct experiment_id, unit_kind, exposed_day from {{ ref('int_exposed_units') }} where fault is null
    ) as units
    cross join ({{ halved() }}) as metrics
    cross join newest
    {% if is_incremental() %}
    inner join {{ ref('int_touched_ab_cohorts') }} as touched
        on touched.metric = metrics.metric and touched.exposed_day = units.exposed_day
    {% endif %}
    where units.exposed_day + 2 * metrics.half_days - 1 <= newest.day
),

units as (
    select experiment_id, unit_kind, unit_key, unit_hash, variant, exposed_day
    from {{ ref('int_exposed_units') }}
    where fault is null and exposed_day in (select exposed_day from cohorts)
),

-- What each day adds; that of the exposure only what came after it.
days as (
    select
        units.experiment_id,
        days.metric,
        units.variant,
        units.exposed_day,
        units.unit_hash,
        units.unit_key,
        cohorts.cap,
        days.day >= units.exposed_day + cohorts.half_days as is_late,
        cast(case when days.day = units.exposed_day then days.cum_y - coalesce(baselines.c0_y, 0) else days.y end as double) as y,
        cast(case when days.day = units.exposed_day then days.cum_d - coalesce(baselines.c0_d, 0) else days.d end as double) as d
    from {{ ref('int_unit_days') }} as days
    inner join units
        on days.unit_hash = units.unit_hash and days.unit_kind = units.unit_kind and days.unit_key = units.unit_key
        and days.day >= units.exposed_day
    inner join cohorts
        on units.experiment_id = cohorts.experiment_id and days.metric = cohorts.metric
        and units.exposed_day = cohorts.exposed_day and days.day < cohorts.exposed_day + 2 * cohorts.half_days
    left join {{ ref('int_unit_baselines') }} as baselines
        on days.day = units.exposed_day and baselines.unit_hash = units.unit_hash and baselines.metric = days.metric
        and baselines.experiment_id = units.experiment_id and baselines.unit_key = units.unit_key
),

halves as (
    select
        experiment_id,
        metric,
        variant,
        exposed_day,
        least(sum(y) filter (where is_late), any_value(cap)) as late,
        least(sum(y) filter (where not is_late), any_value(cap)) as early,
        coalesce(late, 0) as y,
        coalesce(early, 0) as p,
        coalesce(sum(d) filter (where is_late), 0) as d,
        coalesce(sum(d) filter (where not is_late), 0) as q
    from days
    group by experiment_id, metric, variant, exposed_day, unit_hash, unit_key
),

-- Who did nothing is a unit as well.
added as (
    select units.experiment_id, cohorts.metric, units.variant, units.exposed_day, count(*) as n, 0 as y, 0 as d, 0 as p, 0 as q
    from units
    inner join cohorts on units.experiment_id = cohorts.experiment_id and units.exposed_day = cohorts.exposed_day
    group by units.experiment_id, cohorts.metric, units.variant, units.exposed_day
    union all
    select experiment_id, metric, variant, exposed_day, 0 as n, y, d, p, q
    from halves
)

select
    added.experiment_id,
    added.metric,
    added.variant,
    added.exposed_day,
    any_value(metrics.half_days) as half_days,
    sum(added.n) as n,
    {% for sum in ['y', 'd', 'p', 'q'] %}
    sum(added.{{ sum }}) as {{ sum }},
    {% endfor %}
    {% for one, other in [('y', 'y'), ('y', 'd'), ('y', 'p'), ('y', 'q'), ('d', 'd'), ('d', 'p'), ('d', 'q'), ('p', 'p'), ('p', 'q'), ('q', 'q')] %}
    sum(added.{{ one }} * added.{{ other }}) as {{ one }}{{ other }}{{ ',' if not loop.last }}
    {% endfor %}
from added
inner join ({{ halved() }}) as metrics on added.metric = metrics.metric
group by added.experiment_id, added.metric, added.variant, added.exposed_day
