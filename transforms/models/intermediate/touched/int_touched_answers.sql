-- Responses whose row in fct_responses is made anew: touched themselves, or feedback on them is, now or before.
-- depends_on: {{ ref('fct_feedback') }}, {{ ref('int_touched_feedback') }}, {{ ref('int_touched_turns') }}, {{ ref('int_former_answers') }}

{% if is_incremental() %}
select response_id from {{ ref('int_touched_turns') }}
union
select feedback.response_id
from {{ ref('fct_feedback') }} as feedback
where feedback.response_id is not null and {{ is_touched('feedback', 'int_touched_feedback', ['log_partition', 'log_offset']) }}
union
select response_id from {{ ref('int_former_answers') }}
{% else %}
select response_id from {{ ref('fct_feedback') }} where false
{% endif %}
