{{ config(meta={'rows_of': ['feedback.report_filed.v1']}) }}
with verdicts as (
    select
        report_key,
        count(*) as labels,
        count(*) filter (where is_right) as labels_right,
        count(*) filter (where is_right) > count(*) filter (where not is_right) as is_right
    from {{ ref('int_report_verdicts') }}
    where is_current and is_right is not null
    group by report_key
)

select
    reports.event_key,
    reports.event_id,
    reports.source,
    reports.received_at,
    reports.happened_at,
    coalesce(reports.rule, reports.author_id) as rule,
    coalesce(reports.rule_version, 0) as rule_version,
    nullif(rule_modes.mode_id, '') as mode_id,
    reports.target_kind,
    reports.target_id,
    rollouts.rollout_id,
    feedback.target_state,
    feedback.response_id,
    feedback.conversation_id,
    feedback.model,
    feedback.checkpoint_id,
    reports.steps,
    reports.text,
    coalesce(verdicts.labels, 0) as labels,
    coalesce(verdicts.labels_right, 0) as labels_right,
    verdicts.is_right
from {{ ref('stg_feedback__reports') }} as reports
inner join {{ ref('fct_feedback') }} as feedback on reports.event_key = feedback.event_key
left join {{ ref('rule_modes') }} as rule_modes on reports.rule = rule_modes.rule
left join {{ ref('int_rollouts') }} as rollouts
    on reports.target_kind = 'trace' and reports.target_id = rollouts.rollout_id
left join verdicts on reports.event_key = verdicts.report_key
where reports.report_kind = 'automated' and feedback.is_current
