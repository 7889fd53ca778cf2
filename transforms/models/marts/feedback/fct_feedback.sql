{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_feedback', ['log_partition', 'log_offset']) }}"
) }}
-- depends_on: {{ ref('int_former_answers') }}

with clock as (
    {{ newest_arrival() }}
),

-- Scores of our own judges: one counts once its job has completed.
own as (
    select scores.*, greatest(scores.received_at, jobs.updated_at) as changed_at
    from (select * from {{ ref('stg_feedback__scores') }} where {{ is_own_judgement() }}) as scores
    left join {{ ref('int_jobs') }} as jobs on scores.job_id = jobs.job_id
),

given as (
    select
        {{ vote_columns() }},
        thumb,
        value,
        label,
        status,
        cast(null as varchar) as text,
        cast(null as varchar) as text_hash,
        is_current,
        is_repeat,
        is_negative,
        level,
        updated_at,
        cast(null as varchar) as job_id,
        cast(null as varchar) as report_kind,
        cast(null as varchar) as rule,
        cast(null as bigint) as rule_version,
        case when weighs then author_hash end as weighed_author,
        day
    from ({{ votes(only_touched('landed', 'int_touched_feedback', ['log_partition', 'log_offset'])) }}) as made

    union all

    select
        {{ vote_columns() }},
        cast(null as varchar) as thumb,
        cast(null as double) as value,
        cast(null as varchar) as label,
        cast(null as varchar) as status,
        text,
        case when has_words then text_hash end as text_hash,
        is_current,
        false as is_repeat,
        is_negative,
        cast(null as double) as level,
        updated_at,
        cast(null as varchar) as job_id,
        report_kind,
        rule,
        rule_version,
        cast(null as ubigint) as weighed_author,
        cast(null as date) as day
    from {{ ref('int_written_feedback') }} as made
    where {{ only_touched('made', 'int_touched_feedback', ['log_partition', 'log_offset']) }}

    union all

    select
        {{ vote_columns() }},
        cast(null as varchar) as thumb,
        value,
        label,
        status,
        cast(null as varchar) as text,
        cast(null as varchar) as text_hash,
        event_key in (select event_key from {{ ref('int_judgements') }}) as is_current,
        false as is_repeat,
        cast(null as boolean) as is_negative,
        cast(null as double) as level,
        max(changed_at) over (partition by author_id, native_id, metric_key) as updated_at,
        job_id,
        cast(null as varchar) as report_kind,
        cast(null as varchar) as rule,
        cast(null as bigint) as rule_version,
        cast(null as ubigint) as weighed_author,
        cast(null as date) as day
    from own

    union all

    -- What persons say of a rule's report is about the rule: shown, but no vote on the target, nor good or bad.
    select
        {{ vote_columns() }},
        cast(null as varchar) as thumb,
        value,
        label,
        status,
        cast(null as varchar) as text,
        cast(null as varchar) as text_hash,
        is_current,
        false as is_repeat,
        cast(null as boolean) as is_negative,
        cast(null as double) as level,
        updated_at,
        cast(null as varchar) as job_id,
        cast(null as varchar) as report_kind,
        cast(null as varchar) as rule,
        cast(null as bigint) as rule_version,
        cast(null as ubigint) as weighed_author,
        cast(null as date) as day
    from {{ ref('int_report_verdicts') }} as made
    where {{ only_touched('made', 'int_touched_feedback', ['log_partition', 'log_offset']) }}
),

bursts as (
    select log_partition, log_offset, share, updated_at from {{ ref('int_vote_trust') }} where kind = 'burst'
),

floods as (
    select author_hash, day, share, updated_at from {{ ref('int_vote_trust') }} where kind = 'flood'
),

-- What an eval has used first it keeps, whatever its conversation turned out to be.
kept as (
    select event_key from {{ ref('int_issued_evidence') }} where side = 'eval' and is_first_use
)

select
    given.event_key,
    given.event_id,
    given.source,
    given.kind,
    given.received_at,
    given.occurred_at,
    given.happened_at,
    given.is_skewed,
    greatest(
        given.updated_at,
        targets.updated_at,
        judgements.updated_at,
        bursts.updated_at,
        floods.updated_at,
        case
            when given.target_id is not null and targets.target_id is null
                and {{ seconds_between('given.received_at', 'clock.newest') }} > 86400
                then given.received_at + interval 1 day
        end
    ) as updated_at,
    given.log_partition,
    given.log_offset,
    given.target_kind,
    given.target_id,
    case
        when given.target_id is null then 'none'
        when targets.target_id is not null then 'resolved'
        when {{ seconds_between('given.received_at', 'clock.newest') }} > 86400 then 'overdue'
        else 'pending'
    end as target_state,
    targets.response_id,
    targets.conversation_id,
    targets.model,
    targets.checkpoint_id,
    targets.language,
    targets.audience,
    given.author_kind,
    given.author_id,
    given.voter,
    given.metric,
    given.metric_key,
    given.thumb,
    given.value,
    given.label,
    given.status,
    given.level,
    given.text,
    given.text_hash,
    given.is_current,
    given.is_repeat,
    given.is_negative,
    given.report_kind,
    given.rule,
    given.rule_version,
    case
        when given.is_current and given.job_id is null and given.kind in ('thumb', 'score') and not {{ is_report_verdict() }}
            then round(coalesce(bursts.share, 1.0) * coalesce(floods.share, 1.0), 9)
    end as trust,
    bursts.share is not null as is_burst,
    case when kept.event_key is not null then 'eval' else targets.side end as side,
    judgements.judged_negative,
    judgements.checkpoint_id as judge_checkpoint_id,
    given.import_id,
    given.import_row,
    given.repaired,
    given.job_id
from given
cross join clock
left join {{ ref('int_targets') }} as targets
    on given.target_kind = targets.target_kind and given.target_id = targets.target_id
left join {{ ref('int_judgements') }} as judgements
    on given.event_key = judgements.judged_key and judgements.is_latest and given.kind in ('comment', 'report')
left join kept on given.event_key = kept.event_key
left join bursts on given.log_partition = bursts.log_partition and given.log_offset = bursts.log_offset
left join floods on given.weighed_author = floods.author_hash and given.day = floods.day
