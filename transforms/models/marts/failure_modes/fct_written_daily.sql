select
    day,
    cell_key,
    {% for column in cell_columns() %}
    min({{ column }}) as {{ column }},
    {% endfor %}
    count(*) filter (where not is_automated) as feedback_count,
    count(*) filter (where is_automated) as automated_count,
    count(*) filter (where is_negative) as negative_count,
    count(distinct author_key) filter (where not is_automated) as author_count
from {{ ref('int_mode_cells') }}
group by day, cell_key
