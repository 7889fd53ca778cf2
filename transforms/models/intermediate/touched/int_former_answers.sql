-- Responses that feedback was about which is made anew, as the last build had it.
-- depends_on: {{ ref('base_responses') }}, {{ ref('int_touched_feedback') }}

{% if is_incremental() %}
select distinct response_id
from {{ former('fct_feedback') }} as old
where response_id is not null and {{ is_touched('old', 'int_touched_feedback', ['log_partition', 'log_offset']) }}
{% else %}
select response_id from {{ ref('base_responses') }} where false
{% endif %}
