-- Votes on targets with so many votes at all that there can be a burst: hardly any has.
{{ config(
    materialized='incremental', incremental_strategy='append',
    pre_hook="{{ forget('int_touched_targets', ['target_id']) }}"
) }}

select event_key, log_partition, log_offset, source, target_kind, target_id, moment_day, {{ epoch_second('moment') }} as second, received_at
from {{ ref('int_vote_moments') }} as votes
where moment is not null and {{ only_touched('votes', 'int_touched_targets', ['target_id']) }}
qualify count(*) over (partition by source, target_kind, target_id) >= {{ var('burst_votes') }}
