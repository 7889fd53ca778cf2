-- Days of units of which something arrived, or became another: answers, what is said of them, what products measured.
{{ config(meta=of_experiments()) }}
-- depends_on: {{ ref('int_former_answer_days') }}, {{ ref('int_former_marks') }}, {{ ref('int_answer_marks') }}
-- depends_on: {{ ref('fct_responses') }}, {{ ref('int_touched_answers') }}, {{ ref('int_touched_exposures') }}
-- depends_on: {{ ref('int_touched_events') }}, {{ ref('int_touched_responses') }}, {{ ref('stg_experiments__metrics') }}
-- depends_on: {{ ref('int_person_links') }}, {{ ref('int_experiments') }}, {{ ref('int_responses') }}

{% if is_incremental() %}
with marked as (
    select response_id
    from (
        (from {{ ref('int_answer_marks') }} except from {{ ref('int_former_marks') }})
        union all
        (from {{ ref('int_former_marks') }} except from {{ ref('int_answer_marks') }})
    )
),

answers as (
    select person_id, conversation_id, response_id, day from {{ ref('int_former_answer_days') }}
    union all
    select
        answers.person_id,
        coalesce(answers.conversation_id, answers.response_id) as conversation_id,
        answers.response_id,
        {{ utc_day(answer_moment('answers')) }} as day
    from {{ ref('fct_responses') }} as answers
    where answers.response_id in (select response_id from {{ ref('int_touched_answers') }})
        or answers.response_id in (select response_id from marked)
),

-- Of an anonymous id that has come to belong to somebody, or to nobody: all that was ever measured of it. Each condition for itself:
-- what meets nothing then isn't looked at, where one row after another would be asked for all three.
measured as (
    {%- for condition in [
        "event_hash in (select event_hash from " ~ ref('int_touched_events') ~ " where topic = 'experiments')",
        "anonymous_hash in (select anonymous_hash from " ~ ref('int_touched_exposures') ~ ")",
        "response_id in (select response_id from " ~ ref('int_touched_responses') ~ ")",
    ] %}
    select person_id, anonymous_id, anonymous_hash, response_id, day
    from {{ ref('stg_experiments__metrics') }} as metrics
    where metrics.{{ condition }}
    {% if not loop.last %}union all{% endif %}
    {%- endfor %}
),

linked as (
    select measured.*, links.person_id as linked_id, responses.conversation_id
    from measured
    left join {{ ref('int_person_links') }} as links
        on measured.anonymous_hash = links.anonymous_hash and measured.anonymous_id = links.anonymous_id
    left join {{ ref('int_responses') }} as responses on measured.response_id = responses.response_id
),

units as (
    select unnest([person_id, conversation_id, response_id]) as unit_key, day from answers
    union all
    select
        unnest([person_id, linked_id, 'anonymous:' || anonymous_id, conversation_id, response_id]) as unit_key,
        day
    from linked
)

select distinct hash(unit_key) as unit_hash, day
from units
where unit_key is not null
{% else %}
select cast(null as ubigint) as unit_hash, day from {{ ref('int_former_answer_days') }} where false
{% endif %}
