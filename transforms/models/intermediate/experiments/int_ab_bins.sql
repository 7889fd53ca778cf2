-- How many observations of a quantile's metric fall into each bin (2% wide) a day, by arm and cluster: a hundred groups of units,
-- each as independent of the others as their units are, whatever a unit's observations have in common.
{{ config(
    materialized='remade', meta=of_experiments(),
    pre_hook="{{ forget('int_touched_ab_days', ['metric', 'day']) }}"
) }}

with observed as (
    {{ observations(
        only_touched('answers', 'int_touched_ab_days', ['day']),
        only_touched('seen', 'int_touched_ab_days', ['day']),
        feeds(of_quantiles=true)
    ) }}
)

select
    units.experiment_id,
    observed.metric,
    units.variant,
    hash(units.unit_key || '|cluster') % 100 as cluster,
    observed.day,
    {{ bin('observed.amount') }} as bin,
    count(*) as n
from observed
inner join {{ ref('int_exposed_units') }} as units
    on observed.unit_hash = units.unit_hash and observed.unit_kind = units.unit_kind and observed.unit_key = units.unit_key
    and observed.happened_at >= units.exposed_at
inner join {{ ref('dim_metrics') }} as metrics
    on observed.metric = metrics.metric
    and (metrics.window_days is null or observed.day < units.exposed_day + cast(metrics.window_days as integer))
where units.fault is null and {{ only_touched('observed', 'int_touched_ab_days', ['metric', 'day']) }}
group by units.experiment_id, observed.metric, units.variant, cluster, observed.day, bin
