{# What a place in the log is called, in parts: `topic/partition/offset`. #}
{% macro place_partition(place) %}try_cast(split_part({{ place }}, '/', 2) as integer){% endmacro %}
{% macro place_offset(place) %}try_cast(split_part({{ place }}, '/', 3) as bigint){% endmacro %}
