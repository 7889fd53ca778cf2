-- Votes that are made anew, as the last build had them.
-- depends_on: {{ ref('base_feedback') }}, {{ ref('int_touched_places') }}

{% if is_incremental() %}
select log_partition, log_offset, source, target_kind, target_hash, author_hash, moment, moment_day, day, received_at
from {{ former('int_votes') }} as old
where weighs and {{ is_touched('old', 'int_touched_places', ['log_partition', 'log_offset']) }}
{% else %}
select
    log_partition,
    log_offset,
    source,
    target_kind,
    target_hash,
    voter_hash as author_hash,
    received_at as moment,
    cast(received_at as date) as moment_day,
    cast(received_at as date) as day,
    received_at
from {{ ref('base_feedback') }}
where false
{% endif %}
