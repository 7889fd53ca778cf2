-- Votes that weigh less than one. Two things take weight away, and both can be told from the votes alone:
-- a burst (many persons' votes on one target within seconds: together they weigh as much as what is usual there), and one
-- author's flood (beyond so many a day, an author's votes share that much weight).
{% set reach, enough, times = var('burst_seconds'), var('burst_votes'), var('burst_times_usual') %}

-- What is usual in a source: votes on a target in a minute that has any, over the days before.
with usual as (
    select
        source,
        moment_day,
        greatest(coalesce(sum(day_votes) over before * 1.0 / sum(day_minutes) over before, 1), 1) as votes_a_minute
    from {{ ref('int_vote_days') }}
    window before as (partition by source order by moment_day rows between unbounded preceding and 1 preceding)
),

near as (
    select
        event_key,
        log_partition,
        log_offset,
        source,
        moment_day,
        count(*) over around as together,
        max(received_at) over around as updated_at
    from {{ ref('int_crowded_votes') }}
    window around as (
        partition by source, target_kind, target_id
        order by second
        range between {{ reach }} preceding and {{ reach }} following
    )
),

bursts as (
    select near.event_key, near.log_partition, near.log_offset, near.updated_at, usual.votes_a_minute / near.together as share
    from near
    inner join usual on near.source = usual.source and near.moment_day = usual.moment_day
    where near.together >= greatest({{ enough }}, {{ times }} * usual.votes_a_minute)
)

select
    coalesce(bursts.event_key, floods.event_key) as event_key,
    coalesce(bursts.log_partition, floods.log_partition) as log_partition,
    coalesce(bursts.log_offset, floods.log_offset) as log_offset,
    bursts.event_key is not null as is_burst,
    round(coalesce(bursts.share, 1) * coalesce(floods.share, 1), 9) as trust,
    greatest(bursts.updated_at, floods.updated_at) as updated_at
from bursts
full outer join {{ ref('int_flood_votes') }} as floods on bursts.event_key = floods.event_key
