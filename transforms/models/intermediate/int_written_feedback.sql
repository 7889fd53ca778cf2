-- Comments and reports, and whether their author is dissatisfied: by a report's own rating, else by the current vote that
-- the same voter gave the same target (of the same record in its tool before others, a thumb before a score).
{{ config(
    materialized='remade',
    pre_hook="{{ forget('int_touched_places', ['log_partition', 'log_offset']) }}"
) }}
with written as (
    select
        {{ written_columns() }},
        target_hash,
        metric,
        metric_key,
        text,
        cast(null as varchar) as report_kind,
        cast(null as varchar) as rule,
        cast(null as bigint) as rule_version,
        cast(null as boolean) as rated_negative
    from {{ ref('stg_feedback__comments') }} as landed
    where {{ only_touched('landed', 'int_touched_places', ['log_partition', 'log_offset']) }}

    union all

    select
        {{ written_columns() }},
        target_hash,
        cast(null as varchar) as metric,
        cast(null as varchar) as metric_key,
        text,
        report_kind,
        rule,
        rule_version,
        case when scale_max > scale_min then rating < (scale_min + scale_max) / 2 end as rated_negative
    from {{ ref('stg_feedback__reports') }} as landed
    where {{ only_touched('landed', 'int_touched_places', ['log_partition', 'log_offset']) }}
),

-- A text that was edited in its tool comes again under the same native id.
versions as (
    select
        *,
        row_number() over (
            partition by source, kind, target_kind, target_id, coalesce('native:' || native_id, 'event:' || event_id), metric_key
            {{ last_to_first() }}
        ) = 1 as is_current,
        max(received_at) over (
            partition by source, kind, target_kind, target_id, coalesce('native:' || native_id, 'event:' || event_id), metric_key
        ) as versions_updated_at
    from written
),

-- Votes that a text goes by: of the same voter on the same target, or of the same record in its tool. Each once.
votes as materialized (
    select
        source, target_kind, target_id, voter, native_id, kind, metric_key, happened_at, received_at, log_partition,
        log_offset, event_key, is_current, is_negative, updated_at
    from ({{ votes('landed.target_hash in (select target_hash from versions)') }}) as votes
),

beside as (
    {% for same in ['voter', 'native_id'] %}
    select
        versions.event_key,
        votes.is_current and votes.is_negative is not null as counts,
        votes.is_negative,
        votes.updated_at,
        coalesce(votes.native_id = versions.native_id, false) as is_of_record,
        votes.kind = 'thumb' as is_thumb,
        coalesce(votes.metric_key = versions.metric_key, false) as is_of_metric,
        votes.happened_at,
        votes.received_at,
        votes.log_partition,
        votes.log_offset,
        votes.event_key as vote_key
    from versions
    inner join votes
        on versions.source = votes.source
        and versions.target_kind = votes.target_kind
        and versions.target_id = votes.target_id
        and versions.{{ same }} = votes.{{ same }}
    {% if same == 'native_id' %}
    where versions.voter is distinct from votes.voter
    {% else %}
    union all
    {% endif %}
    {% endfor %}
),

inherited as (
    select
        event_key,
        is_negative,
        row_number() over (
            partition by event_key
            order by
                is_of_record desc, is_thumb desc, is_of_metric desc, happened_at desc, received_at desc, log_partition desc,
                log_offset desc, vote_key
        ) as place
    from beside
    where counts
),

-- The same votes, those included that say nothing or no longer count: a vote that was cleared has changed the comment.
heard as (
    select event_key, max(updated_at) as updated_at
    from beside
    group by event_key
)

select
    versions.* exclude (versions_updated_at),
    greatest(versions.versions_updated_at, heard.updated_at) as updated_at,
    texts.text_hash,
    texts.normal_form <> '' as has_words,
    coalesce(versions.rated_negative, inherited.is_negative) as is_negative
from versions
left join inherited on versions.event_key = inherited.event_key and inherited.place = 1
left join heard on versions.event_key = heard.event_key
left join {{ ref('int_texts') }} as texts
    on md5(versions.text) = texts.text_key and versions.report_kind is distinct from 'automated'
