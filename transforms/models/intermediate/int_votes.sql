-- Thumbs and scores as votes. One voter's votes on one metric of one target supersede each other; scores by our own judges
-- are no votes, nor are persons' verdicts on what a rule reported.
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_places', ['log_partition', 'log_offset']) }}"
) }}
-- depends_on: {{ ref('int_former_votes') }}

with given as (
    select
        {{ vote_columns() }},
        target_hash,
        voter_hash,
        thumb,
        cast(null as double) as value,
        cast(null as varchar) as label,
        cast(null as varchar) as status,
        coalesce(thumb, 'cleared') as said,
        case thumb when 'down' then true when 'up' then false end as is_negative,
        cast(case thumb when 'down' then 0 when 'up' then 1 end as double) as level
    from {{ ref('stg_feedback__thumbs') }} as landed
    where {{ only_touched('landed', 'int_touched_places', ['log_partition', 'log_offset']) }}

    union all

    select
        {{ vote_columns() }},
        target_hash,
        voter_hash,
        cast(null as varchar) as thumb,
        value,
        label,
        status,
        concat_ws('|', status, coalesce(cast(value as varchar), 'none'), 'label:' || label) as said,
        {{ score_is_negative() }} as is_negative,
        cast({{ score_level() }} as double) as level
    from {{ ref('stg_feedback__scores') }} as landed
    where {{ only_touched('landed', 'int_touched_places', ['log_partition', 'log_offset']) }}
        and not {{ is_own_judgement() }} and not {{ is_report_verdict() }}
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
    * exclude (said, voter_hash),
    hash(source, author_id) as author_hash,
    {{ vote_moment('placed') }} as moment,
    {{ vote_days('placed') }}
from placed
