{# Bytes as text: as UTF-8 where they are, else with what is not ASCII escaped. #}
{% macro blob_text(column) %}coalesce(try(decode({{ column }})), cast({{ column }} as varchar)){% endmacro %}
