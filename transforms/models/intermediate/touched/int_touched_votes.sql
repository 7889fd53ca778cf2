-- Votes as they are now: those that were made anew, and those on targets that stand for something else now.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}
-- depends_on: {{ ref('int_votes') }}, {{ ref('int_touched_voters') }}, {{ ref('int_touched_links') }}

with marked as (
    select
        log_partition,
        log_offset,
        day,
        moment_day,
        is_current and author_kind = 'human' as weighs,
        {{ only_touched('votes', 'int_touched_voters', ['target_id', 'author_id']) if is_incremental() else 'false' }} as is_made,
        {{ only_touched('votes', 'int_touched_links', ['target_id']) if is_incremental() else 'false' }} as is_linked
    from {{ ref('int_votes') }} as votes
)

select * exclude (is_linked)
from marked
where is_made or is_linked
