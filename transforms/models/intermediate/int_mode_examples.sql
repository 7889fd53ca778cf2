-- A merged mode is still learnt by itself, so that its comments stay told from others' and are only counted elsewhere; a
-- retired one is not. A team's word on a text comes before ours. A mode with fewer than 5 is not learnt: what shows it are
-- its members alone.
with named as (
    select mode_id, text, cast(null as varchar) as event_key, 2 as place
    from {{ ref('mode_examples') }}

    union all

    select mode_id, text, cast(null as varchar) as event_key, 1 as place
    from {{ ref('int_team_examples') }}
    where text is not null

    union all

    select examples.mode_id, written.text, examples.event_key, 0 as place
    from {{ ref('int_team_examples') }} as examples
    inner join {{ ref('int_written_feedback') }} as written on examples.event_key = written.event_key
    where written.text_hash is not null
),

today as (
    select named.mode_id, named.text, named.event_key, named.place
    from named
    left join {{ ref('int_mode_successors') }} as known on named.mode_id = known.mode_id
    where known.mode_id is not null or named.mode_id in ('praise', 'other')
),

once as (
    select mode_id, text, event_key, place
    from (
        select
            mode_id,
            text,
            event_key,
            place,
            row_number() over (partition by text order by place, mode_id, event_key) as number
        from today
    ) as numbered
    where number = 1
),

counted as (
    select mode_id, text, event_key, place, count(*) over (partition by mode_id) as texts
    from once
)

select
    mode_id,
    text,
    coalesce(event_key, 'flywheel/examples|' || md5(mode_id || '|' || text)) as example_key,
    place = 2 as is_built_in
from counted
where texts >= 5
