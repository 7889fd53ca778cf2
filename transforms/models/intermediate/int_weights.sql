-- What takes weight from votes. Two things do, and both can be told from the votes alone:
-- a burst (many persons' votes on one target within seconds: together they weigh as much as what is usual there), and one
-- author's flood (beyond so many a day, an author's votes share that much weight at most).
{{ config(materialized='view') }}
{% set enough, times = var('burst_votes'), var('burst_times_usual') %}

-- What is usual in a source: votes on a target in a minute that has any, over the days before.
with usual as (
    select
        source,
        moment_day,
        greatest(coalesce(sum(day_votes) over before * 1.0 / sum(day_minutes) over before, 1), 1) as votes_a_minute
    from {{ ref('int_vote_days') }}
    window before as (partition by source order by moment_day rows between unbounded preceding and 1 preceding)
)

select
    'burst' as kind,
    concat('vote/', near.log_partition, '/', near.log_offset) as weight_key,
    near.log_partition,
    near.log_offset,
    cast(null as ubigint) as author_hash,
    cast(null as date) as day,
    usual.votes_a_minute / near.together as share,
    near.updated_at
from {{ ref('int_crowded_votes') }} as near
inner join usual on near.source = usual.source and near.moment_day = usual.moment_day
where near.together >= greatest({{ enough }}, {{ times }} * usual.votes_a_minute)

union all

select
    'flood' as kind,
    concat('author/', author_hash, '/', day) as weight_key,
    cast(null as integer) as log_partition,
    cast(null as bigint) as log_offset,
    author_hash,
    day,
    share,
    updated_at
from {{ ref('int_floods') }}
