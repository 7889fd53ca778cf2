-- What a day adds to the sums of an arm, by cell: units (`n`), `y` over `d` since exposure, `p` over `q` before it, and their products.
-- Added up over days they are the sufficient statistics as of each day's end.
{{ config(
    materialized='remade', meta=of_experiments(),
    pre_hook="{{ forget('int_touched_ab_days', ['metric', 'day']) }}"
) }}

with units as (
    select
        experiment_id,
        unit_kind,
        unit_key,
        unit_hash,
        variant,
        exposed_day,
        coalesce(language, 'unknown') as language,
        coalesce(audience, 'unknown') as audience,
        coalesce(source, 'unknown') as source
    from {{ ref('int_exposed_units') }}
    where fault is null
),

metrics as (
    select metric, kind, window_days, winsorise, coalesce(from_day, 0) as from_day, {{ matures() }} as matures
    from {{ ref('dim_metrics') }}
    where kind <> 'quantile'
),

-- Days first, before they meet anything: hardly any is touched.
days as materialized (
    select * from {{ ref('int_unit_days') }} as days where {{ only_touched('days', 'int_touched_ab_days', ['metric', 'day']) }}
),

-- A unit counts from its first exposure on; what it can do but once, once the days in which it may are over.
entered as materialized (
    select
        units.* exclude (exposed_day),
        metrics.metric,
        metrics.kind,
        metrics.from_day,
        metrics.matures,
        units.exposed_day,
        units.exposed_day + cast(coalesce(metrics.matures, 0) as integer) as day
    from units
    cross join metrics
    {% if is_incremental() %}
    inner join {{ ref('int_touched_ab_days') }} as touched
        on touched.metric = metrics.metric
        and touched.day = units.exposed_day + cast(coalesce(metrics.matures, 0) as integer)
    {% endif %}
),

came as (
    select
        entered.* exclude (from_day, matures),
        coalesce(baselines.p, 0) as p,
        case when entered.kind = 'ratio' then coalesce(baselines.q, 0) else 1 end as q,
        cast(entered.matures is not null and exists (
            select 1
            from {{ ref('int_unit_days') }} as days
            where days.unit_hash = entered.unit_hash and days.metric = entered.metric
                and days.unit_kind = entered.unit_kind and days.unit_key = entered.unit_key
                and days.y > 0 and days.cum_y > coalesce(baselines.c0_y, 0)
                and days.day between entered.exposed_day + cast(entered.from_day as integer) and entered.day
        ) as double) as y
    from entered
    left join {{ ref('int_unit_baselines') }} as baselines
        on entered.unit_hash = baselines.unit_hash and entered.experiment_id = baselines.experiment_id
        and entered.metric = baselines.metric and entered.unit_key = baselines.unit_key
),

sums as (
    select
        units.*,
        metrics.metric,
        metrics.kind,
        metrics.winsorise as cap,
        days.day,
        coalesce(baselines.p, 0) as p,
        case when metrics.kind = 'ratio' then coalesce(baselines.q, 0) else 1 end as q,
        case when days.day = units.exposed_day then 0 else cast(days.cum_y - days.y - coalesce(baselines.c0_y, 0) as double) end as y0,
        cast(days.cum_y - coalesce(baselines.c0_y, 0) as double) as y1,
        case when days.day = units.exposed_day then 0 else cast(days.cum_d - days.d - coalesce(baselines.c0_d, 0) as double) end as d0,
        cast(days.cum_d - coalesce(baselines.c0_d, 0) as double) as d1
    from days
    inner join units
        on days.unit_hash = units.unit_hash and days.unit_kind = units.unit_kind and days.unit_key = units.unit_key
        and days.day >= units.exposed_day
    inner join metrics
        on days.metric = metrics.metric and metrics.matures is null
        and (metrics.window_days is null or days.day < units.exposed_day + cast(metrics.window_days as integer))
    left join {{ ref('int_unit_baselines') }} as baselines
        on units.unit_hash = baselines.unit_hash and units.experiment_id = baselines.experiment_id
        and days.metric = baselines.metric and units.unit_key = baselines.unit_key
),

-- The sum before the day (0) and after it (1), as the metric counts it.
counted as (
    select
        * exclude (y0, y1),
        least(y0, coalesce(cap, y0)) as y0,
        least(y1, coalesce(cap, y1)) as y1
    from sums
),

added as (
    select
        {{ ab_cell() }}, day,
        1 as n, y, 0.0 as d, p, q,
        y * y as yy, 0.0 as yd, y * p as yp, y * q as yq, 0.0 as dd, 0.0 as dp, 0.0 as dq, p * p as pp, p * q as pq, q * q as qq
    from came

    union all

    select
        {{ ab_cell() }}, day,
        0 as n, y1 - y0 as y, d1 - d0 as d, 0.0 as p, 0.0 as q,
        y1 * y1 - y0 * y0 as yy, y1 * d1 - y0 * d0 as yd, (y1 - y0) * p as yp, (y1 - y0) * q as yq,
        d1 * d1 - d0 * d0 as dd, (d1 - d0) * p as dp, (d1 - d0) * q as dq, 0.0 as pp, 0.0 as pq, 0.0 as qq
    from counted
)

select
    {{ ab_cell() }},
    day,
    {% for sum in ab_sums() %}
    sum({{ sum }}) as {{ sum }}{{ ',' if not loop.last }}
    {% endfor %}
from added
group by {{ ab_cell() }}, day
