-- Days of votes that came, went, or count otherwise since the last build: by when they were given, and by their moment
-- (see int_vote_moments).
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}
-- depends_on: {{ ref('int_vote_moments') }}, {{ ref('int_touched_voters') }}

{% if is_incremental() %}
with now as (
    select votes.*
    from {{ ref('int_vote_moments') }} as votes
    where {{ is_touched('votes', 'int_touched_voters', ['target_id', 'author_id']) }}
),

before as (
    select old.event_key, old.log_partition, old.log_offset, {{ vote_days('old') }}
    from {{ former('fct_feedback') }} as old
    where old.is_current and old.author_kind = 'human' and old.kind in ('thumb', 'score')
        and {{ is_touched('old', 'int_touched_voters', ['target_id', 'author_id']) }}
),

changed as (
    select now.day as day_now, now.moment_day as moment_now, before.day, before.moment_day
    from now
    full outer join before
        on now.event_key = before.event_key
        and now.log_partition = before.log_partition
        and now.log_offset = before.log_offset
    where now.event_key is null or before.event_key is null
)

select 'given' as kind, day from changed where day is not null
union
select 'given' as kind, day_now as day from changed where day_now is not null
union
select 'moment' as kind, moment_day as day from changed where moment_day is not null
union
select 'moment' as kind, moment_now as day from changed where moment_now is not null
{% else %}
select 'given' as kind, day from {{ ref('int_vote_moments') }} where false
{% endif %}
