-- Targets that feedback arrived on since the last build, by their id.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}

select distinct target_id, coalesce('target:' || target_id, 'none') as touched_key
from {{ ref('int_touched_voters') }}
