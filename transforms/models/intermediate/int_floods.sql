-- Authors with more votes in a day than one person gives: they halve in weight at each doubling, so that together they weigh
-- no more than so many, and that most new votes leave the weight of those before as it is.
{% set enough = var('author_votes_a_day') %}
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_changed_votes', ['author_hash', 'day']) }}"
) }}

-- By numbers first, since hardly any author gives so many.
with many as (
    select author_hash, day
    from {{ ref('int_vote_moments') }} as votes
    where author_id is not null and {{ only_touched('votes', 'int_changed_votes', ['author_hash', 'day']) }}
    group by author_hash, day
    having count(*) > {{ enough }}
),

votes as (
    select source, author_id, author_hash, day, received_at
    from {{ ref('int_vote_moments') }}
    where author_id is not null and (author_hash, day) in (select author_hash, day from many)
),

busy as (
    select source, author_id, author_hash, day, {{ enough }} * pow(2, ceil(log2(count(*) * 1.0 / {{ enough }}))) as step
    from votes
    group by source, author_id, author_hash, day
    having count(*) > {{ enough }}
),

placed as (
    select
        busy.*,
        votes.received_at,
        row_number() over (partition by busy.source, busy.author_id, busy.day order by votes.received_at) as place
    from busy
    inner join votes using (source, author_id, day)
)

-- It has weighed so since the vote came that was one too many for the weight before.
select source, author_id, author_hash, day, {{ enough }} / max(step) as share, max(received_at) as updated_at
from placed
where place <= step / 2 + 1
group by source, author_id, author_hash, day
