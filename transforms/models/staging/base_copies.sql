-- depends_on: {{ ref('int_touched_events') }}
-- Only the events of which a record arrived are looked at again.
{{ config(
    materialized='remade', meta={'reads': ['repeated', 'corrected']},
    pre_hook="{{ forget('int_touched_events', ['topic', 'event_hash']) }}"
) }}

{% set topics = topics() %}

with known as (
    {% for topic in topics %}
    select
        '{{ topic }}' as topic,
        log_partition,
        log_offset,
        received_at,
        source,
        event_id,
        event_hash,
        content_hash,
        corrections.corrected_by,
        coalesce(corrections.corrected_by <> {{ event_key() }}, false) as is_corrected,
        {% if topic == 'imports' %}
        case when import_id <> file_import_id then import_id end as import_id
        {% else %}
        import_id
        {% endif %}
    from {{ ref('base_' ~ topic) }} as landed
    left join (select * from {{ ref('base_corrections') }} where topic = '{{ topic }}') as corrections
        using (log_partition, log_offset)
    where error is null and erased is null {{ of_touched_event('landed', topic) if is_incremental() }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

repeated as (
    select topic, source, event_id
    from known
    group by topic, source, event_id
    having count(*) > 1
),

placed as (
    select
        known.*,
        row_number() over first_to_last as place,
        first_value(known.content_hash) over first_to_last as first_hash
    from known
    inner join repeated
        on known.topic = repeated.topic and known.source = repeated.source and known.event_id = repeated.event_id
    window first_to_last as (
        partition by known.topic, known.source, known.event_id
        order by known.received_at, known.log_partition, known.log_offset
    )
)

select
    topic,
    log_partition,
    log_offset,
    received_at,
    source,
    event_id,
    event_hash,
    import_id,
    content_hash = first_hash as is_identical,
    corrected_by
from placed
where place > 1 and not is_corrected
union all
select topic, log_partition, log_offset, received_at, source, event_id, event_hash, import_id, false as is_identical, corrected_by
from known
where is_corrected
