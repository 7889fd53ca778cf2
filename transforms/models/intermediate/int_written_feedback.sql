-- Comments and reports, and whether their author is dissatisfied: by a report's own rating, else by the current vote that
-- the same voter gave the same target (of the same record in its tool before others, a thumb before a score).
with written as (
    select
        {{ written_columns() }},
        metric,
        metric_key,
        text,
        cast(null as varchar) as report_kind,
        cast(null as varchar) as rule,
        cast(null as bigint) as rule_version,
        cast(null as boolean) as rated_negative
    from {{ ref('stg_feedback__comments') }}

    union all

    select
        {{ written_columns() }},
        cast(null as varchar) as metric,
        cast(null as varchar) as metric_key,
        text,
        report_kind,
        rule,
        rule_version,
        case when scale_max > scale_min then rating < (scale_min + scale_max) / 2 end as rated_negative
    from {{ ref('stg_feedback__reports') }}
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

inherited as (
    select
        versions.event_key,
        votes.is_negative,
        row_number() over (
            partition by versions.event_key
            order by
                coalesce(votes.native_id = versions.native_id, false) desc,
                votes.kind = 'thumb' desc,
                coalesce(votes.metric_key = versions.metric_key, false) desc,
                votes.happened_at desc,
                votes.received_at desc,
                votes.log_partition desc,
                votes.log_offset desc,
                votes.event_key
        ) as place
    from versions
    inner join {{ ref('int_votes') }} as votes
        on versions.source = votes.source
        and versions.target_kind = votes.target_kind
        and versions.target_id = votes.target_id
        and (versions.voter = votes.voter or versions.native_id = votes.native_id)
    where votes.is_current and votes.is_negative is not null
),

-- The same votes, those included that say nothing or no longer count: a vote that was cleared has changed the comment.
heard as (
    select versions.event_key, max(votes.updated_at) as updated_at
    from versions
    inner join {{ ref('int_votes') }} as votes
        on versions.source = votes.source
        and versions.target_kind = votes.target_kind
        and versions.target_id = votes.target_id
        and (versions.voter = votes.voter or versions.native_id = votes.native_id)
    group by versions.event_key
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
