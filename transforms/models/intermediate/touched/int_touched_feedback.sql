-- Feedback whose row in fct_feedback is made anew: what came, or is on a touched target, votes that weigh less than one, now or
-- before, what our judges judged, and what has waited for its target for over a day now.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}
-- depends_on: {{ ref('int_votes') }}, {{ ref('int_written_feedback') }}, {{ ref('int_report_verdicts') }}
-- depends_on: {{ ref('int_judgements') }}, {{ ref('int_vote_trust') }}, {{ ref('stg_feedback__scores') }}
-- depends_on: {{ ref('int_touched_targets') }}, {{ ref('int_touched_voters') }}, {{ ref('int_touched_links') }}, {{ ref('base_responses') }}, {{ ref('base_feedback') }}

{% if is_incremental() %}
with clock as (
    select max(received_at) as newest
    from (
        select max(received_at) as received_at from {{ ref('base_feedback') }}
        union all
        select max(received_at) as received_at from {{ ref('base_responses') }}
    ) as arrived
),

-- Feedback with a target goes by who gave it and by what the target stands for; a text also by the votes beside it.
here as (
    select votes.event_key
    from {{ ref('int_votes') }} as votes
    where {{ is_touched('votes', 'int_touched_voters', ['target_id', 'author_id']) }}
        or {{ is_touched('votes', 'int_touched_links', ['target_id']) }}
    union all
    select written.event_key
    from {{ ref('int_written_feedback') }} as written
    where {{ is_touched('written', 'int_touched_targets', ['target_id']) }}
        or {{ is_touched('written', 'int_touched_links', ['target_id']) }}
    union all
    select old.event_key
    from {{ former('fct_feedback') }} as old
    where {{ is_touched('old', 'int_touched_voters', ['target_id', 'author_id']) }}
        or {{ is_touched('old', 'int_touched_links', ['target_id']) }}
        or (old.kind in ('comment', 'report') and {{ is_touched('old', 'int_touched_targets', ['target_id']) }})
),

touched as (
    select event_key from here
    union
    select event_key from {{ ref('int_vote_trust') }}
    union
    select event_key from {{ ref('int_report_verdicts') }}
    union
    select event_key from {{ ref('stg_feedback__scores') }} where {{ is_own_judgement() }}
    union
    select judged_key as event_key from {{ ref('int_judgements') }} where judged_key is not null
    union
    select old.event_key
    from {{ former('fct_feedback') }} as old
    cross join clock
    where old.is_burst
        or old.trust < 1
        or old.job_id is not null
        or old.judge_checkpoint_id is not null
        or (old.target_state = 'pending' and {{ seconds_between('old.received_at', 'clock.newest') }} > 86400)
)

select touched.event_key, old.response_id as former_response_id
from touched
left join {{ former('fct_feedback') }} as old on touched.event_key = old.event_key
{% else %}
select event_key, target_id as former_response_id from {{ ref('int_votes') }} where false
{% endif %}
