-- Authors with more votes in a day than one person gives: they halve in weight at each doubling, so that together they weigh
-- no more than so many, and that most new votes leave the weight of those before as it is.
{% set enough = var('author_votes_a_day') %}
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_changed_votes', ['author_hash', 'day']) }}"
) }}

-- By one number first, since hardly any author gives so many.
with many as (
    select author_hash, day
    from {{ ref('int_vote_moments') }} as votes
    where author_hash is not null and {{ only_touched('votes', 'int_changed_votes', ['author_hash', 'day']) }}
    group by author_hash, day
    having count(*) > {{ enough }}
),

placed as (
    select
        author_hash,
        day,
        received_at,
        row_number() over (partition by author_hash, day order by received_at) as place,
        {{ enough }} * pow(2, ceil(log2(count(*) over (partition by author_hash, day) * 1.0 / {{ enough }}))) as step
    from {{ ref('int_vote_moments') }}
    where author_hash is not null and (author_hash, day) in (select author_hash, day from many)
)

-- It has weighed so since the vote came that was one too many for the weight before.
select author_hash, day, {{ enough }} / max(step) as share, max(received_at) as updated_at
from placed
where place <= step / 2 + 1
group by author_hash, day
