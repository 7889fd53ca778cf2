-- Rollouts that were told of since the last build.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}
-- depends_on: {{ ref('base_responses') }}, {{ ref('base_copies') }}, {{ ref('int_touched_events') }}

{% if is_incremental() %}
select rollout_id
from {{ arrived('responses') }} as arrived
where type = 'response.rollout_recorded.v1' and error is null
union
select rollout_id from {{ displaced('responses') }} as displaced where type = 'response.rollout_recorded.v1'
{% else %}
select rollout_id from {{ ref('base_responses') }} where false
{% endif %}
