-- Rows of the last build's fct_feedback that may be others now: what is on touched targets, votes that weigh less than one,
-- what our judges judged, and what has waited for its target for over a day now.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}
-- depends_on: {{ ref('int_votes') }}, {{ ref('base_feedback') }}, {{ ref('base_responses') }}
-- depends_on: {{ ref('int_touched_voters') }}, {{ ref('int_touched_targets') }}, {{ ref('int_touched_links') }}

{% if is_incremental() %}
with clock as (
    select max(received_at) as newest
    from (
        select max(received_at) as received_at from {{ ref('base_feedback') }}
        union all
        select max(received_at) as received_at from {{ ref('base_responses') }}
    ) as arrived
),

marked as (
    select
        old.log_partition,
        old.log_offset,
        old.response_id,
        {{ vote_days('old') }},
        coalesce(old.is_current and old.author_kind = 'human' and old.kind in ('thumb', 'score'), false) as weighs,
        {{ is_touched('old', 'int_touched_voters', ['target_id', 'author_id']) }} as is_made,
        {{ is_touched('old', 'int_touched_links', ['target_id']) }} as is_linked,
        old.kind in ('comment', 'report') and {{ is_touched('old', 'int_touched_targets', ['target_id']) }} as is_beside,
        old.is_burst
        or coalesce(old.trust < 1, false)
        or old.job_id is not null
        or old.judge_checkpoint_id is not null
        or (old.target_state = 'pending' and {{ seconds_between('old.received_at', 'clock.newest') }} > 86400) as is_else
    from {{ former('fct_feedback') }} as old
    cross join clock
)

select * exclude (is_linked, is_beside, is_else)
from marked
where is_made or is_linked or is_beside or is_else
{% else %}
select log_partition, log_offset, target_id as response_id, day, moment_day, false as weighs, false as is_made
from {{ ref('int_votes') }}
where false
{% endif %}
