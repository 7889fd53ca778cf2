-- What was known of complaints in the last build.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_touched_answers') }}

{% if is_incremental() %}
select response_id, complaints from {{ former('int_complaints') }}
{% else %}
select response_id, cast(0 as bigint) as complaints from {{ ref('int_touched_answers') }} where false
{% endif %}
