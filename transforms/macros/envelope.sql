{# What every base model takes of a record. The bytes stay in the lake; only what is no event shows its text. #}
{% macro envelope() %}
    {%- set encoded = "from_base64(regexp_extract(record_headers, '\"flywheel[.]corrects\", *\"([^\"]*)', 1))" %}
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
    case
        when error is null and contains(record_headers, '"flywheel.corrects"') then {{ blob_text(encoded) }}
    end as corrects_place,
    case when error is not null then {{ blob_text('raw') }} end as raw_text
{% endmacro %}
