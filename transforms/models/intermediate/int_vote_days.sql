-- How many votes a target gets in a minute that has any, by source and day. One minute counts for no more than the least
-- burst, so that yesterday's burst doesn't make today's usual. Later builds add what the minutes of changed votes are more
-- or less by.
{{ config(
    materialized='incremental', incremental_strategy='delete+insert', unique_key=['source', 'moment_day'],
    post_hook="delete from {{ this }} where day_minutes = 0"
) }}
-- depends_on: {{ ref('int_changed_votes') }}
{% set minute = ['source', 'target_kind', 'target_hash', 'moment_day', 'minute'] | join(', ') %}

with votes as (
    select source, target_kind, target_hash, moment_day, floor({{ epoch_second('moment') }} / 60) as minute
    from {{ ref('int_vote_moments') }} as votes
    where moment is not null and {{ only_touched('votes', 'int_changed_votes', ['target_hash']) }}
),

{% if is_incremental() %}
changed as (
    select source, target_kind, target_hash, moment_day, floor({{ epoch_second('moment') }} / 60) as minute, sum(change) as change
    from {{ ref('int_changed_votes') }}
    where moment is not null
    group by {{ minute }}
),

now as (
    select {{ minute }}, count(*) as votes from votes group by {{ minute }}
),

minutes as (
    select changed.*, coalesce(now.votes, 0) as votes, coalesce(now.votes, 0) - changed.change as votes_before
    from changed
    left join now using ({{ minute }})
),

counted as (
    select
        source,
        moment_day,
        least(votes, {{ var('burst_votes') }}) - least(votes_before, {{ var('burst_votes') }}) as minute_votes,
        cast(votes > 0 as integer) - cast(votes_before > 0 as integer) as minutes
    from minutes
    union all
    select source, moment_day, day_votes as minute_votes, day_minutes as minutes
    from {{ this }} as known
    where exists (select 1 from changed where changed.source = known.source and changed.moment_day = known.moment_day)
)
{% else %}
counted as (
    select source, moment_day, least(count(*), {{ var('burst_votes') }}) as minute_votes, 1 as minutes
    from votes
    group by {{ minute }}
)
{% endif %}

select source, moment_day, cast(sum(minute_votes) as bigint) as day_votes, cast(sum(minutes) as bigint) as day_minutes
from counted
group by source, moment_day
