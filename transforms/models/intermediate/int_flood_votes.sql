-- Votes of authors with more of them in a day than one person gives: they share so much weight.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_days('given', 'day') }}") }}

with votes as (
    select event_key, log_partition, log_offset, source, author_id, day, received_at
    from {{ ref('int_vote_moments') }} as votes
    where author_id is not null and {{ only_touched_days('votes', 'given', 'day') }}
),

busy as (
    select source, author_id, day, {{ var('author_votes_a_day') }} * 1.0 / count(*) as share, max(received_at) as updated_at
    from votes
    group by source, author_id, day
    having count(*) > {{ var('author_votes_a_day') }}
)

select votes.event_key, votes.log_partition, votes.log_offset, votes.day, busy.share, busy.updated_at
from votes
inner join busy on votes.source = busy.source and votes.author_id = busy.author_id and votes.day = busy.day
