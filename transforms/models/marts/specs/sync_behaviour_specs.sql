{% set enough = var('behaviour_complaints_at_least') %}

with evidence as (
    select
        mode_id,
        count(*) as reports,
        count(distinct complaint_key) as complaints,
        count(distinct author_key) as authors
    from {{ ref('int_behaviour_evidence') }}
    group by mode_id
),

-- An eval that models have mastered is retired, and asks for a harder one.
mastered as (
    select issued.spec_key, count(distinct issued.spec_id) as times
    from {{ ref('stg_specs__evals_issued') }} as issued
    inner join {{ ref('stg_specs__retired') }} as retired on issued.spec_id = retired.spec_id
    where retired.reason = 'saturated'
    group by issued.spec_key
),

wanted as (
    select 'eval:' || mode_id || ':behaviour' as spec_key, mode_id, string_agg(behaviour, '+' order by behaviour) as behaviours
    from {{ ref('mode_behaviours') }}
    group by mode_id
),

judged as (
    select
        wanted.spec_key,
        wanted.mode_id,
        wanted.behaviours,
        coalesce(mastered.times, 0) as hardened,
        coalesce(evidence.reports, 0) as reports,
        case
            when modes.status = 'proposed' then 'proposed, not accepted'
            when modes.status = 'merged' then 'merged into ' || modes.merged_into
            when modes.status = 'retired' then 'retired'
            when coalesce(evidence.complaints, 0) < {{ enough }}
                then 'too few distinct complaints on the eval side: ' || coalesce(evidence.complaints, 0) || ' of {{ enough }}'
            when evidence.authors < {{ var('spec_authors_at_least') }} then 'all by one author: ' || evidence.reports || ' reports'
            else 'ready'
        end as reason
    from wanted
    inner join {{ ref('int_modes') }} as modes on wanted.mode_id = modes.mode_id
    left join evidence on wanted.mode_id = evidence.mode_id
    left join mastered on wanted.spec_key = mastered.spec_key
)

select spec_key, mode_id, behaviours, hardened, reports, reason = 'ready' as ready, reason
from judged
