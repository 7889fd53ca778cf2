-- Units whose first exposure may be another, as the last build had them.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_exposed') }}

{% if is_incremental() %}
select experiment_id, unit_hash, exposed_day
from {{ former('int_exposed_units') }} as old
where {{ is_touched('old', 'int_touched_exposed', ['experiment_id', 'unit_hash']) }}
{% else %}
select experiment_id, unit_hash, cast(null as date) as exposed_day from {{ ref('int_touched_exposed') }} where false
{% endif %}
