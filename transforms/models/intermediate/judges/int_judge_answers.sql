-- What judges said, yes or no, of what: our own and those that came with an import. A judge is a program or a model that scored
-- or compared. Yes is what the metric looks for: that the author is dissatisfied, that the mode is there, that the score is
-- bad; of a pair, that the side whose key sorts first is better.
{{ config(meta=of_judges()) }}
with versions as (
    select checkpoint_id, coalesce(substr(artifact_sha256, 1, 12), method) as judge_version
    from {{ ref('dim_checkpoints') }}
    where role = 'judge'
),

-- Of our evals: how the judge answered on samples that were kept from training. One answer a judge and sample.
asked as (
    select
        samples.checkpoint_id,
        samples.sample_id,
        samples.scorer,
        specs.mode_id,
        samples.answer,
        row_number() over (
            partition by samples.checkpoint_id, samples.sample_id, samples.scorer, specs.mode_id
            order by jobs.updated_at desc, samples.job_id
        ) as place
    from {{ ref('fct_eval_samples') }} as samples
    inner join {{ ref('fct_specs') }} as specs on samples.spec_id = specs.spec_id
    inner join {{ ref('fct_jobs') }} as jobs on samples.job_id = jobs.job_id
    where samples.scorer in ('negative_feedback', 'failure_mode')
        and samples.status = 'scored'
        and not samples.is_provisional
),

own as (
    select checkpoint_id, 'judge/negative' as metric, 'text' as kind, sample_id as target, try_cast(answer as double) as probability, try_cast(answer as double) >= 0.5 as is_yes, 0 as turn
    from asked
    where place = 1 and scorer = 'negative_feedback'

    union all

    select checkpoint_id, 'mode/' || mode_id, 'mode', sample_id, null, answer = mode_id, 0
    from asked
    where place = 1 and scorer = 'failure_mode' and mode_id is not null

    union all

    select checkpoint_id, metric, 'text', judged_key, value, judged_negative, 1
    from {{ ref('int_judgements') }}
),

-- The same text in an eval and in a judging: the eval's answer.
own_once as (
    select *, row_number() over (partition by checkpoint_id, metric, target order by turn) as place
    from own
    where is_yes is not null
),

scored as (
    select
        author_kind || ':' || author_id as author,
        author_id,
        coalesce(judge_version, 'not said') as judge_version,
        metric_key,
        target_kind || ':' || target_id as target,
        is_negative,
        row_number() over (
            partition by source, author_kind, author_id, judge_version, metric_key, target_kind, target_id {{ last_to_first() }}
        ) as place
    from {{ ref('stg_feedback__scores') }}
    where author_kind in ('llm', 'code') and author_id is not null and status = 'scored' and target_id is not null
        and not {{ is_own_judgement() }}
),

compared as (
    select
        author_id,
        judge_version,
        metric_key,
        pair_key,
        preferred_key,
        row_number() over (
            partition by source, author_kind, author_id, judge_version, metric_key, pair_key {{ last_to_first() }}
        ) as place
    from {{ ref('int_judge_pairs') }}
),

every as (
    select
        own_once.checkpoint_id as judge_id,
        versions.judge_version,
        own_once.metric,
        own_once.kind,
        own_once.target,
        own_once.is_yes,
        own_once.probability,
        true as is_ours
    from own_once
    inner join versions on own_once.checkpoint_id = versions.checkpoint_id
    where own_once.place = 1

    union all

    select author_id, judge_version, metric_key, 'target', target, is_negative, null, false
    from scored
    where place = 1 and is_negative is not null

    union all

    select author_id, judge_version, metric_key, 'pair', pair_key, preferred_key = split_part(pair_key, ' | ', 1), null, false
    from compared
    where place = 1 and preferred_key <> 'tie'
)

-- Two tools may know one judge by one name: one answer counts.
select
    judge_id,
    judge_version,
    metric,
    kind,
    target,
    min(is_yes) as is_yes,
    min(probability) as probability,
    bool_or(is_ours) as is_ours
from every
group by judge_id, judge_version, metric, kind, target
