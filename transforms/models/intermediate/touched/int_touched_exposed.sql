-- Units whose first exposure may be another: one arrived, what the anonymous id belongs to changed, the response came that says
-- whose it is, or their experiment was started or stopped.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_exposures') }}, {{ ref('int_touched_responses') }}, {{ ref('int_touched_events') }}
-- depends_on: {{ ref('base_experiments') }}

{% if is_incremental() %}
with ended as (
    select experiment_id
    from {{ ref('base_experiments') }} as landed
    where type in ('experiment.started.v1', 'experiment.stopped.v1') and error is null {{ of_touched_event('landed', 'experiments') }}
)

-- Each condition for itself: see int_touched_unit_days.
{%- for condition in [
    "event_hash in (select event_hash from " ~ ref('int_touched_events') ~ " where topic = 'experiments')",
    "anonymous_hash in (select anonymous_hash from " ~ ref('int_touched_exposures') ~ ")",
    "response_id in (select response_id from " ~ ref('int_touched_responses') ~ ")",
    "experiment_id in (select experiment_id from ended)",
] %}
select seen.experiment_id, seen.unit_hash
from ({{ exposures() }}) as seen
where seen.{{ condition }}
union
{%- endfor %}
select experiment_id, hash('anonymous:' || anonymous_id) as unit_hash
from {{ ref('int_touched_exposures') }}
where anonymous_id is not null
union
select experiment_id, unit_hash
from {{ former('int_exposed_units') }}
where experiment_id in (select experiment_id from ended)
{% else %}
select seen.experiment_id, seen.unit_hash from ({{ exposures() }}) as seen where false
{% endif %}
