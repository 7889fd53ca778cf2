{# Seconds that a client's clock may be ahead of the log's before its word on the time is not taken. #}
{% macro skew_allowed() %}300{% endmacro %}

{% macro is_skewed() %}coalesce({{ seconds_between('received_at', 'occurred_at') }} > {{ skew_allowed() }}, false){% endmacro %}

{# When feedback counts as given: by the client's clock, unless it doesn't say or runs ahead. #}
{% macro happened_at() %}case when occurred_at is null or {{ is_skewed() }} then received_at else occurred_at end{% endmacro %}

{# Who gave it: the author; where no author is known the native id, else the event itself. #}
{% macro voter() %}coalesce('author:' || author_id, 'native:' || native_id, 'event:' || event_id){% endmacro %}

{# What all feedback has. #}
{% macro feedback_columns(kind) %}
    event_key,
    event_id,
    source,
    '{{ kind }}' as kind,
    received_at,
    log_partition,
    log_offset,
    occurred_at,
    {{ happened_at() }} as happened_at,
    {{ is_skewed() }} as is_skewed,
    target_kind,
    target_id,
    target_hash,
    voter_hash,
    author_kind,
    author_id,
    {{ voter() }} as voter,
    sequence,
    native_id,
    import_id,
    import_row,
    repaired
{% endmacro %}

{# When the newest event arrived, of feedback and what it is about. #}
{% macro newest_arrival() %}
select max(received_at) as newest
from (
    select max(received_at) as received_at from {{ ref('base_feedback') }}
    union all
    select max(received_at) as received_at from {{ ref('base_responses') }}
) as arrived
{% endmacro %}

{# The side of a conversation that no spec has used yet, by its id alone: about 30% of them are for evals only. #}
{% macro side(key) %}case when substr(md5({{ key }}), 1, 2) < '4d' then 'eval' else 'training' end{% endmacro %}
