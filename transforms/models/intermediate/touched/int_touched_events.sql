-- Events of which a record arrived since the last build, or a correction of one.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}

{% for topic in topics() %}
select '{{ topic }}' as topic, source, event_id
from {{ arrived(topic) if is_incremental() else ref('base_' ~ topic) }} as arrived
where error is null and erased is null {{ 'and false' if not is_incremental() }}
group by source, event_id
{% if is_incremental() %}
union
select '{{ topic }}' as topic, source, event_id
from {{ ref('base_' ~ topic) }} as landed
inner join {{ corrected(arrived(topic)) }} as corrections using (log_partition, log_offset)
where error is null and erased is null
{% endif %}
{% if not loop.last %}union all{% endif %}
{% endfor %}
