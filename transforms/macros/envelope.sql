{# What every base model takes of a record. The bytes stay in the lake; only what is no event shows its text. #}
{% macro envelope() %}
    log_partition,
    log_offset,
    received_at,
    event_id,
    source,
    type,
    occurred_at,
    import_id,
    import_row,
    repaired,
    content_hash,
    error,
    erased,
    case when error is not null then {{ blob_text('raw') }} end as raw_text
{% endmacro %}
