{{ config(materialized='replaced', meta={'reads': ['refused', 'repeated', 'corrected']}) }}

{% set topics = topics() %}

with no_events as (
    {% for topic in topics %}
    select
        '{{ topic }}' as topic,
        landed.log_partition,
        landed.log_offset,
        landed.received_at,
        landed.error as reason,
        landed.event_id,
        landed.source,
        landed.raw_text,
        corrections.corrected_by
    from {{ ref('base_' ~ topic) }} as landed
    left join (select * from {{ ref('base_corrections') }} where topic = '{{ topic }}') as corrections
        using (log_partition, log_offset)
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
        case
            when corrected_by is not null then 'another event was put in its place'
            else 'an event with this source and id, but other content, came before: the first stays'
        end as reason,
        event_id,
        source,
        cast(null as varchar) as raw_text,
        corrected_by
    from {{ ref('base_copies') }}
    where not is_identical
)

select * from no_events
union all
select * from refused_copies
