-- Thumbs and scores as votes: what becomes of each, by its place in the log and by numbers alone, since it is written for
-- every vote; the words are in the staging models (`votes` reads both). One voter's votes on one metric of one target
-- supersede each other; scores by our own judges are no votes, nor are persons' verdicts on what a rule reported.
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_places', ['log_partition', 'log_offset']) }}"
) }}
-- depends_on: {{ ref('int_former_votes') }}

with given as (
    {{ given_votes(only_touched('landed', 'int_touched_places', ['log_partition', 'log_offset'])) }}
),

-- Of one voter on one target, on whatever metric: what may supersede something. Hardly any vote, and told by a number.
several as (
    select voter_hash from given group by voter_hash having count(*) > 1
),

placed as (
    select *, received_at as updated_at, true as is_current, false as is_repeat
    from given
    where voter_hash not in (select voter_hash from several)

    union all

    select
        *,
        max(received_at) over ({{ of_one_voter() }}) as updated_at,
        row_number() over ({{ of_one_voter() }} {{ last_to_first() }}) = 1 as is_current,
        coalesce(said = lag(said) over ({{ of_one_voter() }} {{ first_to_last() }}), false) as is_repeat
    from given
    where voter_hash in (select voter_hash from several)
)

select
    log_partition,
    log_offset,
    source,
    received_at,
    updated_at,
    is_current,
    is_repeat,
    is_current and author_kind = 'human' as weighs,
    target_kind,
    target_hash,
    -- Two authors of 64 bits alike, among those of one day, hardly ever come.
    case when author_id is not null then hash(source, author_id) end as author_hash,
    {{ vote_moment('placed') }} as moment,
    {{ vote_days('placed') }}
from placed
