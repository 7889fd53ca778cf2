-- What was said of answers beside votes in the last build.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_answers') }}

{% if is_incremental() %}
select * from {{ former('int_answer_marks') }}
{% else %}
select response_id, cast(0 as bigint) as complaints, cast(0 as bigint) as evaluations, cast(null as double) as evaluation
from {{ ref('int_touched_answers') }}
where false
{% endif %}
