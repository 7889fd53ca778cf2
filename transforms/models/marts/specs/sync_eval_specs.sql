{% set enough = var('eval_samples_at_least') %}

with wanted as (
    select
        'eval:all:judge' as spec_key,
        cast(null as varchar) as mode_id,
        'judge' as role,
        'negative_feedback' as scorer,
        '{}' as scorer_args,
        'seeded' as status

    union all

    select 'eval:' || mode_id || ':judge', mode_id, 'judge', 'failure_mode', '{"mode":"' || mode_id || '"}', status
    from {{ ref('int_modes') }}

    union all

    select 'eval:' || scorers.mode_id || ':policy', scorers.mode_id, 'policy', scorers.scorer, scorers.args, modes.status
    from {{ ref('mode_scorers') }} as scorers
    inner join {{ ref('int_modes') }} as modes on scorers.mode_id = modes.mode_id
),

counted as (
    select
        spec_key,
        count(*) as samples,
        count(*) filter (where not is_contrast) as members,
        count(*) filter (where is_negative) as negatives,
        count(*) filter (where not is_negative) as positives
    from {{ ref('sync_spec_samples') }}
    group by spec_key
),

judged as (
    select
        wanted.*,
        coalesce(counted.samples, 0) as samples,
        case
            when wanted.status = 'proposed' then 'proposed, not accepted'
            when coalesce(counted.members, 0) < {{ enough }} and wanted.role = 'policy'
                then 'too few eval-side answers of a registered policy: ' || coalesce(counted.members, 0) || ' of {{ enough }}'
            when coalesce(counted.members, 0) < {{ enough }}
                then 'too few labelled eval-side texts: ' || coalesce(counted.members, 0) || ' of {{ enough }}'
            when wanted.scorer = 'failure_mode' and counted.samples < 1.5 * counted.members
                then 'too few texts of other modes to tell it from'
            when wanted.mode_id is null and counted.negatives = 0 then 'no eval-side text is known to be negative'
            when wanted.mode_id is null and counted.positives = 0 then 'no eval-side text is known not to be negative'
            else 'ready'
        end as reason
    from wanted
    left join counted on wanted.spec_key = counted.spec_key
)

select spec_key, mode_id, role, scorer, scorer_args, samples, reason = 'ready' as ready, reason
from judged
