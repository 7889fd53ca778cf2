-- What is counted in the steps of a rollout, once per record: the steps are long, and never change.
{{ config(
    materialized='incremental', incremental_strategy='append', meta={'reads': ['response.rollout_recorded.v1']}
) }}

select
    landed.log_partition,
    landed.log_offset,
    {{ json_count('landed.steps', '$[*]') }} as steps,
    {{ json_count('landed.steps', '$[*].calls[*]') }} as tool_calls,
    {{ json_count_of('landed.steps', '$[*].is_error', 'true') }} as tool_errors,
    {{ json_count_of('landed.steps', '$[*].role', '"user"') }} as user_steps
from {{ ref('base_responses') }} as landed
{% if is_incremental() %}
left join {{ this }} as known
    on landed.log_partition = known.log_partition and landed.log_offset = known.log_offset
{% endif %}
where landed.type = 'response.rollout_recorded.v1'
    and landed.error is null
    {% if is_incremental() %}
    and known.log_offset is null
    {% endif %}
