-- Votes that came (1) or went (-1) since the last build, of those that weigh: current ones of persons.
-- depends_on: {{ ref('int_former_votes') }}, {{ ref('int_touched_places') }}

with now as (
    select log_partition, log_offset, source, target_kind, target_hash, author_hash, moment, moment_day, day, received_at
    from {{ ref('int_vote_moments') }} as votes
    where {{ only_touched('votes', 'int_touched_places', ['log_partition', 'log_offset']) if is_incremental() else 'false' }}
)

select now.*, 1 as change
from now
where not exists (
    select 1
    from {{ ref('int_former_votes') }} as former
    where former.log_partition = now.log_partition and former.log_offset = now.log_offset
)
union all
select former.*, -1 as change
from {{ ref('int_former_votes') }} as former
where not exists (
    select 1
    from now
    where former.log_partition = now.log_partition and former.log_offset = now.log_offset
)
