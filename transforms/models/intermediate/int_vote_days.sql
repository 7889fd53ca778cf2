-- How many votes a target gets in a minute that has any, by source and day. One minute counts for no more than the least
-- burst, so that yesterday's burst doesn't make today's usual.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_days('moment', 'moment_day') }}") }}

with minutes as (
    select source, moment_day, least(count(*), {{ var('burst_votes') }}) as minute_votes
    from {{ ref('int_vote_moments') }} as votes
    where moment is not null and {{ only_touched_days('votes', 'moment', 'moment_day') }}
    group by source, moment_day, target_kind, target_id, floor({{ epoch_second('moment') }} / 60)
)

select source, moment_day, cast(sum(minute_votes) as bigint) as day_votes, count(*) as day_minutes
from minutes
group by source, moment_day
