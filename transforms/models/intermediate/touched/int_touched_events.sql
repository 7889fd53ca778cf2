-- Events of which a record arrived since the last build.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}

{% for topic in topics() %}
select '{{ topic }}' as topic, source, event_id
from {{ arrived(topic) if is_incremental() else ref('base_' ~ topic) }} as arrived
where error is null and erased is null {{ 'and false' if not is_incremental() }}
group by source, event_id
{% if not loop.last %}union all{% endif %}
{% endfor %}
