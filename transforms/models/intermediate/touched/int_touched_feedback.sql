-- Feedback whose row in fct_feedback is made anew, by its place in the log.
-- depends_on: {{ ref('base_feedback') }}, {{ ref('int_touched_places') }}, {{ ref('int_touched_links') }}, {{ ref('int_touched_weights') }}
-- depends_on: {{ ref('int_votes') }}, {{ ref('int_written_feedback') }}, {{ ref('base_responses') }}
-- depends_on: {{ ref('int_report_verdicts') }}, {{ ref('int_judgements') }}, {{ ref('stg_feedback__scores') }}

with touched as (
    select log_partition, log_offset from {{ ref('int_touched_places') }}
    {% if is_incremental() %}
    union all
    select log_partition, log_offset
    from {{ ref('base_feedback') }} as landed
    where {{ is_touched('landed', 'int_touched_links', ['target_hash']) }}
    union all
    select log_partition, log_offset from {{ ref('int_touched_weights') }} where log_offset is not null
    union all
    select votes.log_partition, votes.log_offset
    from {{ ref('int_votes') }} as votes
    inner join {{ ref('int_touched_weights') }} as touched
        on votes.author_hash = touched.author_hash and votes.day = touched.day
    union all
    -- What our judges say, and persons of what rules say: few, and not followed further.
    select log_partition, log_offset from {{ ref('int_report_verdicts') }}
    union all
    select log_partition, log_offset from {{ ref('stg_feedback__scores') }} where {{ is_own_judgement() }}
    union all
    select log_partition, log_offset
    from {{ ref('int_written_feedback') }}
    where event_key in (select judged_key from {{ ref('int_judgements') }})
    union all
    select log_partition, log_offset from {{ former('fct_feedback') }} where job_id is not null
    union all
    select log_partition, log_offset from {{ former('fct_feedback') }} where judge_checkpoint_id is not null
    union all
    -- What has waited for its target for over a day now.
    select log_partition, log_offset
    from {{ former('fct_feedback') }}
    where target_state = 'pending' and {{ seconds_between('received_at', '(' ~ newest_arrival() ~ ')') }} > 86400
    {% endif %}
)

select log_partition, log_offset
from touched
group by log_partition, log_offset
