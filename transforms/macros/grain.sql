{# A model has one row per `columns`, none of them null: unique and not null in one query. #}
{% test grain(model, columns) %}
select {{ columns | join(', ') }}, count(*) as copies
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
    {% for column in columns %}or {{ column }} is null {% endfor %}
{% endtest %}
