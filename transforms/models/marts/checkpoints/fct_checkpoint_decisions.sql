-- What became of each candidate that was put up for promotion, in the order of the log.
with decided as (
    select
        event_key,
        received_at,
        log_offset,
        checkpoint_id,
        role,
        'promoted' as decision,
        replaces as champion_id,
        lineage,
        place,
        spent,
        cast(null as varchar) as reason,
        cast(null as bigint) as more_samples,
        evidence
    from {{ ref('stg_checkpoints__promoted') }}
    union all
    select
        event_key,
        received_at,
        log_offset,
        checkpoint_id,
        role,
        'refused' as decision,
        champion_id,
        lineage,
        place,
        spent,
        reason,
        more_samples,
        evidence
    from {{ ref('stg_checkpoints__refused') }}
)

select
    event_key as decision_key,
    checkpoint_id,
    role,
    decision,
    champion_id,
    lineage,
    place,
    spent,
    reason,
    more_samples,
    coalesce(len(json_extract(evidence, '$[*]')), 0) as findings,
    received_at as decided_at,
    row_number() over (partition by role order by log_offset) as decision_number,
    row_number() over (partition by checkpoint_id order by log_offset desc) = 1 as is_latest
from decided
