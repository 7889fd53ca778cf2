{# Key of a metric -> what else tools call it, as `models/metrics.py` has them; a test compares the two. #}
{% macro metric_aliases() %}
{{ return({
    'thumb': [
        'like', 'thumbs', 'thumbsup', 'thumbsupdown', 'userfeedback', 'userscore', 'userthumb', 'userthumbs', 'uservote', 'vote'
    ],
    'rating': ['starrating', 'stars', 'userrating'],
    'csat': ['conversationrating', 'customersatisfaction', 'satisfaction', 'satisfactionrating', 'satisfactionscore'],
    'nps': ['netpromoterscore'],
}) }}
{% endmacro %}

{# What a metric is grouped by: its name without case, white space, hyphens and underscores, aliases as one. #}
{% macro metric_key(column) -%}
    case regexp_replace(lower({{ column }}), '[\s_-]+', '', 'g')
        {%- for key, aliases in metric_aliases().items() %}{% for alias in aliases %}
        when '{{ alias }}' then '{{ key }}'
        {%- endfor %}{% endfor %}
        else regexp_replace(lower({{ column }}), '[\s_-]+', '', 'g')
    end
{%- endmacro %}
