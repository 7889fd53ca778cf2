with reports as (
    select rollout_id, count(*) as findings, count(distinct rule) as rules, max(received_at) as updated_at
    from {{ ref('fct_automated_reports') }}
    where rollout_id is not null
    group by rollout_id
)

select
    rollouts.rollout_id,
    rollouts.event_key,
    rollouts.event_id,
    rollouts.source,
    rollouts.received_at,
    rollouts.occurred_at,
    greatest(rollouts.updated_at, reports.updated_at) as updated_at,
    rollouts.response_id,
    rollouts.conversation_id,
    rollouts.task_id,
    rollouts.trial,
    rollouts.model,
    rollouts.checkpoint_id,
    rollouts.audience,
    counts.steps,
    counts.tool_calls,
    counts.tool_errors,
    counts.user_steps,
    rollouts.outcome,
    rollouts.outcome_detail,
    rollouts.reward,
    coalesce(reports.findings, 0) as findings,
    coalesce(reports.rules, 0) as rules
from {{ ref('int_rollouts') }} as rollouts
inner join {{ ref('int_rollout_counts') }} as counts
    on rollouts.log_partition = counts.log_partition and rollouts.log_offset = counts.log_offset
left join reports on rollouts.rollout_id = reports.rollout_id
