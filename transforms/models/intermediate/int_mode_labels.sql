-- A person's last word on a text, in the order of the log. What is retired is no mode any more, so that a text of which only
-- that was said has no label; one that shows no mode at all has one with a null.
with said as (
    select
        comment_key,
        text_hash,
        labelled_by,
        received_at as labelled_at,
        modes,
        row_number() over (partition by text_hash, labelled_by order by log_offset desc) as place
    from {{ ref('stg_taxonomy__texts_labelled') }}
),

last_said as (
    select comment_key, text_hash, labelled_by, labelled_at, modes, text_hash || '|' || labelled_by as word_id
    from said
    where place = 1 and modes is not null
),

listed as (
    select word_id, element as mode_id
    from {{ json_elements('last_said', 'word_id', 'modes') }} as elements
),

today as (
    select distinct listed.word_id, coalesce(known.successor_id, listed.mode_id) as mode_id
    from listed
    left join {{ ref('int_mode_successors') }} as known on listed.mode_id = known.mode_id
    where known.mode_id is not null or listed.mode_id in ('praise', 'other')

    union all

    select word_id, cast(null as varchar) as mode_id
    from last_said
    where modes = '[]'
),

-- Who said what of a text, as one text: persons agree where it is the same.
whole as (
    select word_id, coalesce(string_agg(mode_id, ', ' order by mode_id), '') as answer
    from today
    group by word_id
),

answers as (
    select last_said.text_hash, count(*) as people, count(distinct whole.answer) > 1 as is_disputed
    from whole
    inner join last_said on whole.word_id = last_said.word_id
    group by last_said.text_hash
)

select
    last_said.word_id || '|' || coalesce(today.mode_id, '') as label_id,
    last_said.comment_key as event_key,
    last_said.text_hash,
    today.mode_id,
    last_said.labelled_by,
    last_said.labelled_at,
    answers.people,
    answers.is_disputed
from today
inner join last_said on today.word_id = last_said.word_id
inner join answers on last_said.text_hash = answers.text_hash
