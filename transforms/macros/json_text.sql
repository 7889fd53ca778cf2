{# A value out of a JSON text, as text. #}
{% macro json_text(column, path) %}json_extract_string({{ column }}, '{{ path }}'){% endmacro %}

{# One row per element of a JSON list of texts: a relation with `key` and `element`. #}
{% macro json_elements(relation, key, column) %}
(select {{ key }}, unnest(from_json({{ column }}, '["VARCHAR"]')) as element from {{ relation }})
{% endmacro %}

{# A JSON list of texts as one text, with commas between. #}
{% macro json_list_text(column) %}array_to_string(from_json({{ column }}, '["VARCHAR"]'), ', '){% endmacro %}

{# One row per epoch whose results a job admits: a relation with `job_id`, `status`, `epoch`, `up_to_step`. #}
{% macro admitted_epochs(jobs) %}
(
    select job_id, status, each.epoch, each.up_to_step
    from (
        select job_id, status, unnest(from_json(admitted, '[{"epoch": "BIGINT", "up_to_step": "BIGINT"}]')) as each
        from {{ jobs }}
    ) as listed
)
{% endmacro %}

{# How many values a path with wildcards finds in a JSON text. #}
{% macro json_count(column, path) %}len(json_extract({{ column }}, '{{ path }}')){% endmacro %}

{# How many of them are the JSON text `value`. #}
{% macro json_count_of(column, path, value) %}len(list_filter(json_extract({{ column }}, '{{ path }}'), lambda found: cast(found as varchar) = '{{ value }}')){% endmacro %}
