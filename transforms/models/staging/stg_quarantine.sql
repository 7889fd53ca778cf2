{{ config(materialized='table') }}

{% set topics = topics() %}

with no_events as (
    {% for topic in topics %}
    select '{{ topic }}' as topic, log_partition, log_offset, received_at, error as reason, event_id, source, raw_text
    from {{ ref('base_' ~ topic) }}
    where error is not null and erased is null
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

refused_copies as (
    select
        topic,
        log_partition,
        log_offset,
        received_at,
        'an event with this source and id, but other content, came before: the first stays' as reason,
        event_id,
        source,
        cast(null as varchar) as raw_text
    from {{ ref('base_copies') }}
    where not is_identical
)

select * from no_events
union all
select * from refused_copies
