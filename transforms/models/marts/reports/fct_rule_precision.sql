-- Labels are persons' verdicts on reports of this home, by who wrote them, and those that come with the code: findings on
-- public rollouts that we read (seed `rule_labels`). A report on which persons differ evenly counts as not right.
with labels as (
    select
        verdicts.source as label_source,
        reports.rule,
        reports.rule_version,
        cast(null as boolean) as is_held_out,
        verdicts.report_key as finding,
        count(*) filter (where verdicts.is_right) > count(*) filter (where not verdicts.is_right) as is_right
    from {{ ref('int_report_verdicts') }} as verdicts
    inner join {{ ref('fct_automated_reports') }} as reports on verdicts.report_key = reports.event_key
    where verdicts.is_current and verdicts.is_right is not null
    group by verdicts.source, reports.rule, reports.rule_version, verdicts.report_key

    union all

    select
        'seed/' || dataset as label_source,
        rule,
        rule_version,
        is_held_out,
        rollout || ' ' || steps as finding,
        is_right
    from {{ ref('rule_labels') }}
),

counted as (
    select
        label_source,
        rule,
        rule_version,
        count(*) as labelled,
        count(*) filter (where is_right) as judged_right,
        count(*) filter (where is_held_out) as held_out,
        count(*) filter (where is_held_out and is_right) as held_out_right
    from labels
    group by label_source, rule, rule_version
)

select
    rule,
    rule_version,
    label_source,
    labelled,
    judged_right,
    round(judged_right * 1.0 / labelled, 9) as value,
    {{ wilson_low('judged_right', 'labelled') }} as low,
    {{ wilson_high('judged_right', 'labelled') }} as high,
    held_out,
    held_out_right
from counted
