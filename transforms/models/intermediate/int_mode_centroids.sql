-- Each mode once, as it was proposed first, as long as it counts for something.
with proposed as (
    select
        mode_id,
        log_offset,
        centroid,
        row_number() over (partition by mode_id order by log_offset) as place
    from {{ ref('stg_taxonomy__modes_proposed') }}
)

select proposed.mode_id, proposed.log_offset, proposed.centroid
from proposed
inner join {{ ref('int_mode_successors') }} as known on proposed.mode_id = known.mode_id
where proposed.place = 1
