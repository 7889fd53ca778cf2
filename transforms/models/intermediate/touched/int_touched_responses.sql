-- Responses that something arrived about since the last build: they were served, or a rollout says that it led to them.
{{ config(meta={'reads': ['response.served.v1', 'response.rollout_recorded.v1']}) }}
-- depends_on: {{ ref('base_responses') }}, {{ ref('base_copies') }}, {{ ref('int_touched_events') }}, {{ ref('int_touched_rollouts') }}

{% if is_incremental() %}
select response_id
from {{ ref('base_responses') }} as landed
where type = 'response.served.v1' and error is null {{ of_touched_event('landed', 'responses') }}
union
select landed.response_id
from {{ ref('base_responses') }} as landed
inner join {{ ref('int_touched_rollouts') }} as touched on landed.rollout_id = touched.rollout_id
where landed.response_id is not null and landed.type = 'response.rollout_recorded.v1' and landed.error is null
{% else %}
select response_id from {{ ref('base_responses') }} where false
{% endif %}
