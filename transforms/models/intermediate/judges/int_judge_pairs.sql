-- Comparisons by judges, each with the pair in whatever order it was shown, and which of the two places it preferred.
{{ config(materialized='view') }}
select
    event_key,
    source,
    author_kind,
    author_id,
    coalesce(judge_version, 'not said') as judge_version,
    {{ metric_key('metric') }} as metric_key,
    happened_at,
    received_at,
    occurred_at,
    sequence,
    event_id,
    log_partition,
    log_offset,
    least(first_kind || ':' || first_id, second_kind || ':' || second_id) || ' | '
        || greatest(first_kind || ':' || first_id, second_kind || ':' || second_id) as pair_key,
    first_kind || ':' || first_id < second_kind || ':' || second_id as is_sorted,
    choice,
    case choice
        when 'first' then first_kind || ':' || first_id
        when 'second' then second_kind || ':' || second_id
        when 'tie' then 'tie'
    end as preferred_key
from {{ ref('stg_feedback__preferences') }}
where author_kind in ('llm', 'code') and author_id is not null and status = 'given' and choice is not null
