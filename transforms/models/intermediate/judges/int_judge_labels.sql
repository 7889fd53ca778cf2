-- What persons say of the same things that judges answered about: the author's own vote on what a text is of, persons' labels of
-- a text's modes, persons' votes on a target (of the same metric, else thumbs), persons' choice between two responses. Where
-- they disagree the majority counts, and half of them is no label. Scores by programs and models are none.
{{ config(meta=of_judges()) }}
with answers as (
    select * from {{ ref('int_judge_answers') }}
),

of_texts as (
    select
        answers.judge_id,
        answers.judge_version,
        answers.metric,
        answers.target,
        feedback.is_negative as person_says_yes,
        feedback.received_at as labelled_at
    from answers
    inner join {{ ref('fct_feedback') }} as feedback on answers.target = feedback.event_key
    where answers.kind = 'text'
        and feedback.is_current
        and feedback.is_negative is not null
        and feedback.author_kind = 'human'
),

of_modes as (
    select
        answers.judge_id,
        answers.judge_version,
        answers.metric,
        answers.target,
        bool_or(coalesce('mode/' || labels.mode_id = answers.metric, false)) as person_says_yes,
        min(labels.labelled_at) as labelled_at
    from answers
    inner join {{ ref('fct_feedback') }} as feedback on answers.target = feedback.event_key
    inner join {{ ref('int_mode_labels') }} as labels on feedback.text_hash = labels.text_hash
    where answers.kind = 'mode' and not labels.is_disputed
    group by answers.judge_id, answers.judge_version, answers.metric, answers.target
),

judged_targets as (
    select distinct target from answers where kind = 'target'
),

votes as (
    select
        judged_targets.target,
        feedback.kind,
        feedback.metric_key,
        feedback.is_negative,
        feedback.received_at
    from {{ ref('fct_feedback') }} as feedback
    inner join judged_targets on feedback.target_kind || ':' || feedback.target_id = judged_targets.target
    where feedback.is_current
        and feedback.kind in ('thumb', 'score')
        and feedback.author_kind = 'human'
        and feedback.is_negative is not null
),

voted as (
    select
        answers.judge_id,
        answers.judge_version,
        answers.metric,
        answers.target,
        case when votes.metric_key = answers.metric then 1 else 2 end as turn,
        avg(cast(votes.is_negative as integer)) as negative,
        min(votes.received_at) as labelled_at
    from answers
    inner join votes on answers.target = votes.target
    where answers.kind = 'target' and (votes.metric_key = answers.metric or votes.kind = 'thumb')
    group by all
),

of_targets as (
    select judge_id, judge_version, metric, target, negative > 0.5 as person_says_yes, labelled_at
    from voted
    where negative <> 0.5
    qualify row_number() over (partition by judge_id, judge_version, metric, target order by turn) = 1
),

choices as (
    select
        pair_key,
        metric_key,
        count(*) filter (
            where case choice when 'first' then first_kind || ':' || first_id else second_kind || ':' || second_id end
                = split_part(pair_key, ' | ', 1)
        ) as for_one,
        count(*) as people,
        min(received_at) as labelled_at
    from {{ ref('fct_preferences') }}
    where is_current and author_kind = 'human' and choice in ('first', 'second')
    group by pair_key, metric_key
),

chosen as (
    select
        answers.judge_id,
        answers.judge_version,
        answers.metric,
        answers.target,
        case when choices.metric_key = answers.metric then 1 else 2 end as turn,
        sum(choices.for_one) as for_one,
        sum(choices.people) as people,
        min(choices.labelled_at) as labelled_at
    from answers
    inner join choices on answers.target = choices.pair_key
    where answers.kind = 'pair'
    group by all
),

of_pairs as (
    select judge_id, judge_version, metric, target, for_one * 2 > people as person_says_yes, labelled_at
    from chosen
    where for_one * 2 <> people
    qualify row_number() over (partition by judge_id, judge_version, metric, target order by turn) = 1
),

every as (
    select * from of_texts
    union all
    select * from of_modes
    union all
    select * from of_targets
    union all
    select * from of_pairs
)

select
    every.judge_id,
    every.judge_version,
    every.metric,
    answers.kind,
    every.target,
    answers.is_yes as judge_says_yes,
    answers.probability,
    every.person_says_yes,
    every.labelled_at
from every
inner join answers
    on every.judge_id = answers.judge_id
    and every.judge_version = answers.judge_version
    and every.metric = answers.metric
    and every.target = answers.target
