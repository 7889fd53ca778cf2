{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_answers', ['response_id']) }}"
) }}
-- depends_on: {{ ref('int_former_answer_days') }}

with votes as (
    select
        response_id,
        -- By a number of 64 bits: among the voters of one answer no two share it.
        count(distinct hash(source, voter)) as raters,
        count(*) filter (where thumb = 'up') as thumbs_up,
        count(*) filter (where thumb = 'down') as thumbs_down,
        count(*) filter (where kind = 'thumb' and thumb is null) as thumbs_cleared,
        count(level) as scored,
        round(avg(level), 9) as mean_score,
        max(level) - min(level) as disagreement,
        count(*) filter (where is_burst) as burst_votes,
        round(sum(trust) filter (where thumb = 'up'), 6) as trusted_up,
        round(sum(trust) filter (where thumb = 'down'), 6) as trusted_down,
        round(sum(trust * level) / sum(trust) filter (where level is not null), 6) as trusted_mean_score
    from {{ ref('fct_feedback') }} as feedback
    where trust is not null and response_id is not null
        and {{ only_touched('feedback', 'int_touched_answers', ['response_id']) }}
    group by response_id
)

select
    responses.response_id,
    responses.event_id,
    responses.source,
    responses.received_at,
    responses.occurred_at,
    responses.conversation_id,
    responses.person_id,
    responses.message_id,
    responses.trace_id,
    responses.span_id,
    responses.model,
    responses.checkpoint_id,
    responses.experiment_id,
    responses.variant,
    responses.audience,
    responses.language,
    responses.latency_ms,
    responses.cost_usd,
    responses.tool_calls,
    responses.prompt is not null and responses.completion is not null as has_text,
    sides.side,
    coalesce(votes.raters, 0) as raters,
    coalesce(votes.thumbs_up, 0) as thumbs_up,
    coalesce(votes.thumbs_down, 0) as thumbs_down,
    coalesce(votes.thumbs_cleared, 0) as thumbs_cleared,
    coalesce(votes.scored, 0) as scored,
    votes.mean_score,
    votes.disagreement,
    coalesce(votes.burst_votes, 0) as burst_votes,
    coalesce(votes.trusted_up, 0) as trusted_up,
    coalesce(votes.trusted_down, 0) as trusted_down,
    votes.trusted_mean_score
from {{ ref('int_responses') }} as responses
inner join {{ ref('int_response_sides') }} as sides on responses.response_id = sides.response_id
left join votes on responses.response_id = votes.response_id
where {{ only_touched('responses', 'int_touched_answers', ['response_id']) }}
