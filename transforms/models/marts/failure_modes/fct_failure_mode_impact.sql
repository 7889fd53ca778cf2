-- What a mode costs: how much of the dissatisfaction shows it, and how answers with it are voted on beside those without.
-- An answer (a response; where it is not known, what the feedback is about) counts once, with the share of its thumbs
-- that are up. Only comparison: who writes is unhappier than who does not, so the second one is among answers with words.
with written as (
    select * from {{ ref('int_mode_cells') }} where not is_automated
),

shown as (
    select modes.mode_id, modes.rank, written.*
    from written
    inner join {{ ref('fct_feedback_modes') }} as modes on written.event_key = modes.event_key
),

counts as (
    select
        mode_id,
        count(*) as feedback_count,
        count(distinct text_hash) as text_count,
        count(distinct complaint_key) as complaint_count,
        count(distinct author_key) as author_count,
        count(distinct answer_key) as answer_count,
        count(*) filter (where is_negative) as negative_count,
        count(*) filter (where is_negative and rank = 1) as clearest_negative_count
    from shown
    group by mode_id
),

votes as (
    select 'response|' || response_id as answer_key, thumbs_up * 1.0 / (thumbs_up + thumbs_down) as up
    from {{ ref('fct_responses') }}
    where thumbs_up + thumbs_down > 0
    union all
    select target_kind || '|' || target_id as answer_key, count(*) filter (where thumb = 'up') * 1.0 / count(*) as up
    from {{ ref('fct_feedback') }}
    where response_id is null and kind = 'thumb' and thumb is not null and trust is not null
    group by 1
),

commented as (
    select distinct answer_key from written where answer_key is not null
),

-- Answers with votes: all, and those with words.
everywhere as (
    select
        count(*) as voted,
        coalesce(sum(votes.up), 0) as up,
        count(commented.answer_key) as commented_voted,
        coalesce(sum(votes.up) filter (where commented.answer_key is not null), 0) as commented_up
    from votes
    left join commented on votes.answer_key = commented.answer_key
),

with_mode as (
    select answers.mode_id, count(*) as voted, sum(votes.up) as up
    from (select distinct mode_id, answer_key from shown) as answers
    inner join votes on answers.answer_key = votes.answer_key
    group by answers.mode_id
),

counted as (
    select
        modes.mode_id,
        coalesce(counts.feedback_count, 0) as feedback_count,
        coalesce(counts.text_count, 0) as text_count,
        coalesce(counts.complaint_count, 0) as complaint_count,
        coalesce(counts.author_count, 0) as author_count,
        coalesce(counts.answer_count, 0) as answer_count,
        coalesce(counts.negative_count, 0) as negative_count,
        coalesce(counts.clearest_negative_count, 0) as clearest_negative_count,
        (select count(*) from written where is_negative) as all_negative_count,
        coalesce(with_mode.voted, 0) as with_voted,
        {{ within('coalesce(with_mode.up, 0)', 'coalesce(with_mode.voted, 0)') }} as with_up,
        everywhere.voted - coalesce(with_mode.voted, 0) as without_voted,
        {{ within('everywhere.up - coalesce(with_mode.up, 0)', 'everywhere.voted - coalesce(with_mode.voted, 0)') }} as without_up,
        everywhere.commented_voted - coalesce(with_mode.voted, 0) as other_voted,
        {{ within('everywhere.commented_up - coalesce(with_mode.up, 0)', 'everywhere.commented_voted - coalesce(with_mode.voted, 0)') }} as other_up
    from {{ ref('int_modes') }} as modes
    cross join everywhere
    left join counts on modes.mode_id = counts.mode_id
    left join with_mode on modes.mode_id = with_mode.mode_id
),

rated as (
    select
        *,
        {{ share('negative_count', 'all_negative_count') }} as negative_share,
        {{ share_low('negative_count', 'all_negative_count') }} as negative_share_low,
        {{ share_high('negative_count', 'all_negative_count') }} as negative_share_high,
        {{ share('clearest_negative_count', 'all_negative_count') }} as clearest_negative_share
        {% for group in ['with', 'without', 'other'] %},
        {{ share(group ~ '_up', group ~ '_voted') }} as {{ group }}_up_rate,
        {{ share_low(group ~ '_up', group ~ '_voted') }} as {{ group }}_up_rate_low,
        {{ share_high(group ~ '_up', group ~ '_voted') }} as {{ group }}_up_rate_high
        {% endfor %}
    from counted
)

select
    * exclude (with_up, without_up, other_up)
    {% for group in ['without', 'other'] %},
    round(with_up_rate - {{ group }}_up_rate, 9) as {{ group }}_difference,
    {{ difference_low('with_up_rate', group ~ '_up_rate') }} as {{ group }}_difference_low,
    {{ difference_high('with_up_rate', group ~ '_up_rate') }} as {{ group }}_difference_high
    {% endfor %}
from rated
