-- Responses that are touched, or whose conversation is.
-- depends_on: {{ ref('int_responses') }}, {{ ref('int_touched_responses') }}, {{ ref('int_touched_sides') }}

select responses.response_id
from {{ ref('int_responses') }} as responses
where {{ only_touched('responses', 'int_touched_sides', ['side_key']) if is_incremental() else 'false' }}
{% if is_incremental() %}
union
select response_id from {{ ref('int_touched_responses') }}
{% endif %}
