-- Rollouts that were told of since the last build.
{{ config(meta={'reads': ['response.rollout_recorded.v1']}) }}
-- depends_on: {{ ref('base_responses') }}, {{ ref('base_copies') }}, {{ ref('int_touched_events') }}

select distinct rollout_id
from {{ ref('base_responses') }} as landed
where type = 'response.rollout_recorded.v1' and error is null
    {{ of_touched_event('landed', 'responses') if is_incremental() else 'and false' }}
