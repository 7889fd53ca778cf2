-- Conversations that a touched response is of, or was of before.
-- depends_on: {{ ref('int_responses') }}, {{ ref('int_touched_responses') }}

select responses.side_key
from {{ ref('int_responses') }} as responses
where {{ only_touched('responses', 'int_touched_responses', ['response_id']) if is_incremental() else 'false' }}
{% if is_incremental() %}
union
select coalesce(old.conversation_id, old.response_id) as side_key
from {{ former('fct_responses') }} as old
where {{ is_touched('old', 'int_touched_responses', ['response_id']) }}
{% endif %}
