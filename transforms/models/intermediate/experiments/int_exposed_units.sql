-- Who met which variant first, and when. What is set apart is counted, and says why: `fault`.
{{ config(
    materialized='remade', meta=of_experiments(),
    pre_hook="{{ forget('int_touched_exposed', ['experiment_id', 'unit_hash']) }}"
) }}
-- depends_on: {{ ref('int_former_exposed') }}

with seen as (
    {{ exposures() }}
),

touched as (
    select * from seen where {{ only_touched('seen', 'int_touched_exposed', ['experiment_id', 'unit_hash']) }}
),

placed as (
    select
        *,
        row_number() over (
            partition by experiment_id, unit_key order by happened_at, received_at, log_partition, log_offset
        ) as place,
        count(*) over (partition by experiment_id, unit_key, day) as of_day
    from touched
),

units as (
    select
        experiment_id,
        unit_kind,
        unit_key,
        unit_hash,
        min_by(variant, place) as variant,
        min_by(source, place) as source,
        min_by(language, place) as language,
        min_by(audience, place) as audience,
        min(happened_at) as exposed_at,
        count(*) as exposures,
        count(distinct variant) as variants,
        max(of_day) as most_a_day
    from placed
    group by experiment_id, unit_kind, unit_key, unit_hash
)

select
    units.*,
    {{ utc_day('units.exposed_at') }} as exposed_day,
    case
        when {{ is_constant('units.unit_key') }} then 'constant id'
        when {{ is_bot('units.unit_key') }} or units.most_a_day > {{ var('exposures_a_day') }} then 'bot'
        when units.variants > 1 then 'two variants'
        when arms.variant is null then 'unknown variant'
    end as fault
from units
left join {{ ref('int_experiment_arms') }} as arms
    on units.experiment_id = arms.experiment_id and units.variant = arms.variant
