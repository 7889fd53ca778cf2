{# What every base model takes of a record. The bytes stay in the lake; only what is no event shows its text. `event_hash`
   is its event as one number: what arrivals touch is looked up by numbers, since to read the ids of millions takes long. #}
{% macro envelope() %}
    log_partition,
    log_offset,
    received_at,
    event_id,
    source,
    {{ event_hash() }} as event_hash,
    type,
    occurred_at,
    import_id,
    import_row,
    repaired,
    hash(content_hash) as content_hash,
    error,
    erased,
    case when error is null then {{ corrects_place() }} end as corrects_place,
    case when error is not null then {{ blob_text('raw') }} end as raw_text
{% endmacro %}

{# Not one to one: two events may share it, which touches more than must be. #}
{% macro event_hash() %}hash(source, event_id){% endmacro %}

{# The place of the record that this one corrects; null of nearly all. #}
{% macro corrects_place() %}
    {%- set encoded = "from_base64(regexp_extract(record_headers, '\"flywheel[.]corrects\", *\"([^\"]*)', 1))" -%}
    case when contains(record_headers, '"flywheel.corrects"') then {{ blob_text(encoded) }} end
{%- endmacro %}
