{# The events of one type: each (source, id) once, as the copy that was first on the log has it. An erased one is no event
   any more, and nor are its copies. `details`: the model that has more of them by their place in the log. #}
{% macro events(topic, type, details=none) %}
(
    select {{ event_key() }} as event_key, landed.*{% if details %}, details.* exclude (log_partition, log_offset, received_at){% endif %}

    from {{ ref('base_' ~ topic) }} as landed
    {% if details %}
    inner join {{ ref(details) }} as details
        on landed.log_partition = details.log_partition and landed.log_offset = details.log_offset
    {% endif %}
    where landed.type = '{{ type }}'
        and landed.error is null
        and landed.erased is null
        and not exists (
            select 1
            from {{ ref('base_copies') }} as copies
            where copies.topic = '{{ topic }}'
                and copies.log_partition = landed.log_partition
                and copies.log_offset = landed.log_offset
        )
        {% if topic != 'imports' -%}
        and (landed.import_id is null or landed.import_id not in (
            select corrects from {{ ref('base_imports') }} where corrects is not null
        ))
        {%- endif %}
)
{% endmacro %}

{# What identifies an event for ever. #}
{% macro event_key() %}source || '|' || event_id{% endmacro %}
