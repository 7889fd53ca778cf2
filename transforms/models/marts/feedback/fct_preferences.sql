-- Two responses are one pair in whatever order they were shown. An author's last word on a pair and metric counts.
{{ config(meta={'rows_of': ['feedback.preference_given.v1']}) }}
with ordered as (
    select
        *,
        first_kind || ':' || first_id as first_key,
        second_kind || ':' || second_id as second_key,
        {{ metric_key('metric') }} as metric_key
    from {{ ref('stg_feedback__preferences') }}
),

paired as (
    select
        *,
        least(first_key, second_key) || ' | ' || greatest(first_key, second_key) as pair_key,
        case choice when 'first' then first_key when 'second' then second_key when 'tie' then 'tie' end as preferred_key
    from ordered
),

placed as (
    select
        *,
        row_number() over (
            partition by pair_key, metric_key, source, voter {{ last_to_first() }}
        ) = 1 as is_current
    from paired
),

chosen as (
    select pair_key, metric_key, preferred_key, count(*) as raters
    from placed
    where is_current and preferred_key is not null
    group by pair_key, metric_key, preferred_key
),

-- Of all pairs of raters, the share that chose alike.
pairs as (
    select
        pair_key,
        metric_key,
        sum(raters) as raters,
        case when sum(raters) > 1
            then sum(raters * (raters - 1)) / (sum(raters) * (sum(raters) - 1.0))
        end as agreement,
        max_by(preferred_key, raters) as most_chosen,
        max(raters) * 2 > sum(raters) as has_majority
    from chosen
    group by pair_key, metric_key
)

select
    placed.event_key,
    placed.event_id,
    placed.source,
    placed.received_at,
    placed.occurred_at,
    placed.happened_at,
    placed.pair_key,
    placed.first_kind,
    placed.first_id,
    firsts.response_id as first_response_id,
    firsts.model as first_model,
    placed.second_kind,
    placed.second_id,
    seconds.response_id as second_response_id,
    seconds.model as second_model,
    placed.author_kind,
    placed.author_id,
    placed.voter,
    placed.metric,
    placed.metric_key,
    placed.choice,
    placed.status,
    placed.explanation,
    case placed.choice when 'first' then firsts.model when 'second' then seconds.model end as preferred_model,
    placed.is_current,
    coalesce(pairs.raters, 0) as raters,
    pairs.agreement,
    case
        when not pairs.has_majority then null
        when pairs.most_chosen = 'tie' then 'tie'
        when pairs.most_chosen = placed.first_key then 'first'
        else 'second'
    end as majority,
    placed.native_id,
    placed.import_id,
    placed.import_row
from placed
left join pairs on placed.pair_key = pairs.pair_key and placed.metric_key = pairs.metric_key
left join {{ ref('int_targets') }} as firsts
    on placed.first_kind = firsts.target_kind and placed.first_id = firsts.target_id
left join {{ ref('int_targets') }} as seconds
    on placed.second_kind = seconds.target_kind and placed.second_id = seconds.target_id
