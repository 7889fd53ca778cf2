-- Exposures that arrived since the last build.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('base_experiments') }}, {{ ref('base_copies') }}, {{ ref('int_touched_events') }}

select distinct experiment_id, coalesce(anonymous_id, '') as anonymous_key, anonymous_id, anonymous_hash
from {{ ref('base_experiments') }} as landed
where type = 'experiment.exposure_logged.v1' and error is null
    {{ of_touched_event('landed', 'experiments') if is_incremental() else 'and false' }}
