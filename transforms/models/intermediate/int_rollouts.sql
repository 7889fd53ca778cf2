-- A rollout may be told of twice, by a run and by an import of its file: the last word counts.
with placed as (
    select
        * exclude (steps),
        row_number() over (partition by rollout_id order by received_at desc, log_partition desc, log_offset desc) as place,
        max(received_at) over (partition by rollout_id) as updated_at
    from {{ ref('stg_responses__rollouts') }}
)

select * exclude (place)
from placed
where place = 1
