-- Feedback whose row in fct_feedback is made anew, by its place in the log.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}
-- depends_on: {{ ref('int_touched_votes') }}, {{ ref('int_touched_former') }}, {{ ref('int_written_feedback') }}
-- depends_on: {{ ref('int_report_verdicts') }}, {{ ref('int_judgements') }}, {{ ref('int_vote_trust') }}
-- depends_on: {{ ref('stg_feedback__scores') }}, {{ ref('int_touched_targets') }}, {{ ref('int_touched_links') }}

{% set unknown = 'cast(null as varchar) as response_id' %}

with touched as (
    select log_partition, log_offset, response_id from {{ ref('int_touched_former') }}
    union all
    select log_partition, log_offset, {{ unknown }} from {{ ref('int_touched_votes') }}
    {% if is_incremental() %}
    union all
    select log_partition, log_offset, {{ unknown }} from {{ ref('int_vote_trust') }}
    union all
    select log_partition, log_offset, {{ unknown }} from {{ ref('int_report_verdicts') }}
    union all
    select log_partition, log_offset, {{ unknown }} from {{ ref('stg_feedback__scores') }} where {{ is_own_judgement() }}
    union all
    select written.log_partition, written.log_offset, {{ unknown }}
    from {{ ref('int_written_feedback') }} as written
    where {{ is_touched('written', 'int_touched_targets', ['target_id']) }}
        or {{ is_touched('written', 'int_touched_links', ['target_id']) }}
        or written.event_key in (select judged_key from {{ ref('int_judgements') }})
    {% endif %}
)

select log_partition, log_offset, max(response_id) as former_response_id
from touched
group by log_partition, log_offset
