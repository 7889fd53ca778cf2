-- Votes with so many others near them on their target that it may be a burst: hardly any has.
{% set reach, enough = var('burst_seconds'), var('burst_votes') %}
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_voters', ['target_hash']) }}"
) }}

-- By a number first, since hardly any target has so many.
with popular as (
    select target_hash
    from {{ ref('int_vote_moments') }} as votes
    where moment is not null and {{ only_touched('votes', 'int_touched_voters', ['target_hash']) }}
    group by target_hash
    having count(*) >= {{ enough }}
),

crowded as (
    select *, {{ epoch_second('moment') }} as second
    from {{ ref('int_vote_moments') }}
    where moment is not null and target_hash in (select target_hash from popular)
    qualify count(*) over (partition by source, target_kind, target_hash) >= {{ enough }}
)

select
    log_partition,
    log_offset,
    source,
    target_hash,
    moment_day,
    count(*) over around as together,
    max(received_at) over around as updated_at
from crowded
window around as (
    partition by source, target_kind, target_hash
    order by second
    range between {{ reach }} preceding and {{ reach }} following
)
qualify together >= {{ enough }}
