-- Answers that are made anew, with the units and the day that the last build had them on.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_answers') }}

{% if is_incremental() %}
select
    old.person_id,
    coalesce(old.conversation_id, old.response_id) as conversation_id,
    old.response_id,
    {{ utc_day(answer_moment('old')) }} as day
from {{ former('fct_responses') }} as old
where {{ is_touched('old', 'int_touched_answers', ['response_id']) }}
{% else %}
select response_id as person_id, response_id as conversation_id, response_id, cast(null as date) as day
from {{ ref('int_touched_answers') }}
where false
{% endif %}
