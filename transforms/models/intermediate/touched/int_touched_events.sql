-- Events of which a record arrived since the last build, or a correction of one.
{% for topic in topics() %}
-- depends_on: {{ ref('base_' ~ topic) }}
{%- endfor %}

{% for topic in topics() %}
{% if is_incremental() %}
select '{{ topic }}' as topic, event_hash
from {{ added(topic) }} as arrived
where error is null and erased is null
union
select '{{ topic }}' as topic, landed.event_hash
from {{ ref('base_' ~ topic) }} as landed
inner join (
    select corrects_place as place from {{ added(topic) }} where corrects_place is not null and error is null and erased is null
) as corrections
    on landed.log_partition = {{ place_partition('corrections.place') }}
    and landed.log_offset = {{ place_offset('corrections.place') }}
where landed.error is null and landed.erased is null
{% else %}
select '{{ topic }}' as topic, event_hash from {{ ref('base_' ~ topic) }} where false
{% endif %}
{% if not loop.last %}union all{% endif %}
{% endfor %}
