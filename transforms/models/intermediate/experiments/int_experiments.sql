-- Experiments as they were first started, until they were first stopped: what is said later of the same id changes nothing.
{{ config(meta=of_experiments()) }}

with started as (
    select *
    from {{ ref('stg_experiments__started') }}
    qualify row_number() over (partition by experiment_id order by received_at, log_partition, log_offset) = 1
),

stopped as (
    select experiment_id, happened_at, reason
    from {{ ref('stg_experiments__stopped') }}
    qualify row_number() over (partition by experiment_id order by happened_at, log_partition, log_offset) = 1
)

select
    started.experiment_id,
    started.hypothesis,
    started.unit,
    coalesce(started.salt, started.experiment_id) as salt,
    started.variants,
    started.plan_metric,
    started.plan_guardrails,
    started.plan_effect,
    started.plan_power,
    started.plan_alpha,
    started.plan_units,
    started.plan_days,
    started.happened_at as started_at,
    stopped.happened_at as stopped_at,
    stopped.reason as stop_reason
from started
left join stopped on started.experiment_id = stopped.experiment_id
