with accepted as (
    select mode_id, min(received_at) as accepted_at
    from {{ ref('stg_taxonomy__modes_accepted') }}
    group by mode_id
),

proposed as (
    select
        mode_id,
        name,
        {{ json_list_text('terms') }} as terms,
        row_number() over (partition by mode_id order by log_offset) as place
    from {{ ref('stg_taxonomy__modes_proposed') }}
)

select
    mode_id,
    name,
    parent,
    definition,
    'seeded' as status,
    'seeded' as origin,
    cast(null as varchar) as terms
from {{ ref('failure_modes') }}

union all

select
    proposed.mode_id,
    proposed.name,
    cast(null as varchar) as parent,
    cast(null as varchar) as definition,
    case when accepted.mode_id is null then 'proposed' else 'accepted' end as status,
    'discovered' as origin,
    proposed.terms
from proposed
left join accepted on proposed.mode_id = accepted.mode_id
where proposed.place = 1
