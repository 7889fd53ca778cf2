-- Records that have a correction (`flywheel dead-letters retry --value`), and the event that stands for each: the first.
{% set topics = topics() %}

{% for topic in topics %}
select
    '{{ topic }}' as topic,
    {{ place_partition('corrects_place') }} as log_partition,
    {{ place_offset('corrects_place') }} as log_offset,
    min_by({{ event_key() }}, (received_at, log_partition, log_offset)) as corrected_by
from {{ ref('base_' ~ topic) }}
where corrects_place is not null and error is null and erased is null
    and {{ place_partition('corrects_place') }} is not null
    and {{ place_offset('corrects_place') }} is not null
group by 2, 3
{% if not loop.last %}union all{% endif %}
{% endfor %}
