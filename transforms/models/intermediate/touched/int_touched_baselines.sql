-- Units of experiments whose past may be another: their first exposure, or a day up to it.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_exposed') }}, {{ ref('int_touched_unit_days') }}, {{ ref('int_exposed_units') }}

{% if is_incremental() %}
select experiment_id, unit_hash from {{ ref('int_touched_exposed') }}
union
select units.experiment_id, units.unit_hash
from {{ ref('int_exposed_units') }} as units
inner join {{ ref('int_touched_unit_days') }} as touched
    on units.unit_hash = touched.unit_hash and touched.day <= units.exposed_day
{% else %}
select experiment_id, unit_hash from {{ ref('int_touched_exposed') }} where false
{% endif %}
