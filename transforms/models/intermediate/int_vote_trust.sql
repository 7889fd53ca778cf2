-- Votes that weigh less than one. Two things take weight away, and both can be told from the votes alone:
-- a burst (many persons' votes on one target within seconds: together they weigh as much as what is usual there), and one
-- author's flood (beyond so many a day, an author's votes share that much weight).
-- A vote's moment is its arrival, which its sender can't choose; of what was imported it is the time that the file says,
-- and where it says none the vote is in no burst, since a whole file arrives at once.
{% set reach, enough, times, a_day = var('burst_seconds'), var('burst_votes'), var('burst_times_usual'), var('author_votes_a_day') %}

with votes as (
    select
        event_key,
        source,
        target_kind,
        target_id,
        author_id,
        received_at,
        {{ utc_day('happened_at') }} as day,
        case when import_id is null then received_at when not is_skewed then occurred_at end as moment
    from {{ ref('int_votes') }}
    where is_current and author_kind = 'human'
),

timed as (
    select *, {{ epoch_second('moment') }} as second, {{ utc_day('moment') }} as moment_day
    from votes
    where moment is not null
),

-- Only where a target has so many votes at all can there be a burst: hardly any has.
crowded as (
    select source, target_kind, target_id
    from timed
    group by source, target_kind, target_id
    having count(*) >= {{ enough }}
),

-- What is usual in a source: votes on a target in a minute that has any, over the days before. One minute counts for no
-- more than the least burst, so that yesterday's burst doesn't make today's usual.
minutes as (
    select timed.source, timed.moment_day, least(count(*), {{ enough }}) as minute_votes
    from timed
    where timed.source in (select source from crowded)
    group by timed.source, timed.moment_day, timed.target_kind, timed.target_id, floor(timed.second / 60)
),

days as (
    select source, moment_day, sum(minute_votes) as day_votes, count(*) as day_minutes
    from minutes
    group by source, moment_day
),

usual as (
    select
        source,
        moment_day,
        greatest(coalesce(sum(day_votes) over before * 1.0 / sum(day_minutes) over before, 1), 1) as votes_a_minute
    from days
    window before as (partition by source order by moment_day rows between unbounded preceding and 1 preceding)
),

near as (
    select
        timed.event_key,
        timed.source,
        timed.moment_day,
        count(*) over around as together,
        max(timed.received_at) over around as updated_at
    from timed
    inner join crowded
        on timed.source = crowded.source
        and timed.target_kind = crowded.target_kind
        and timed.target_id = crowded.target_id
    window around as (
        partition by timed.source, timed.target_kind, timed.target_id
        order by timed.second
        range between {{ reach }} preceding and {{ reach }} following
    )
),

bursts as (
    select near.event_key, near.updated_at, usual.votes_a_minute / near.together as share
    from near
    inner join usual on near.source = usual.source and near.moment_day = usual.moment_day
    where near.together >= greatest({{ enough }}, {{ times }} * usual.votes_a_minute)
),

busy as (
    select source, author_id, day, {{ a_day }} * 1.0 / count(*) as share, max(received_at) as updated_at
    from votes
    where author_id in (select author_id from votes group by author_id having count(*) > {{ a_day }})
    group by source, author_id, day
    having count(*) > {{ a_day }}
)

select
    votes.event_key,
    bursts.event_key is not null as is_burst,
    round(coalesce(bursts.share, 1) * coalesce(busy.share, 1), 9) as trust,
    greatest(bursts.updated_at, busy.updated_at) as updated_at
from votes
left join bursts on votes.event_key = bursts.event_key
left join busy on votes.source = busy.source and votes.author_id = busy.author_id and votes.day = busy.day
where bursts.event_key is not null or busy.author_id is not null
