{% set enough = var('eval_samples_at_least') %}

with wanted as (
    select
        'eval:all:judge' as spec_key,
        cast(null as varchar) as mode_id,
        'judge' as role,
        'negative_feedback' as scorer,
        '{}' as scorer_args,
        'seeded' as status,
        cast(null as varchar) as merged_into

    union all

    select
        'eval:' || mode_id || ':judge',
        mode_id,
        'judge',
        'failure_mode',
        '{"mode":"' || mode_id || '"}',
        status,
        merged_into
    from {{ ref('int_modes') }}

    union all

    select
        'eval:' || scorers.mode_id || ':policy',
        scorers.mode_id,
        'policy',
        scorers.scorer,
        scorers.args,
        modes.status,
        modes.merged_into
    from {{ ref('mode_scorers') }} as scorers
    inner join {{ ref('int_modes') }} as modes on scorers.mode_id = modes.mode_id
),

counted as (
    select
        samples.spec_key,
        count(*) as samples,
        count(*) filter (where not samples.is_contrast) as members,
        -- Of a text in many copies, one: they say one thing. Of an author with many texts, one: he may be alone.
        count(distinct evidence.complaint_key) filter (where not samples.is_contrast) as complaints,
        count(distinct evidence.author_key) filter (where not samples.is_contrast) as authors,
        avg(shown.confidence) filter (where not samples.is_contrast) as confidence,
        count(*) filter (where samples.is_negative) as negatives,
        count(*) filter (where not samples.is_negative) as positives
    from {{ ref('sync_spec_samples') }} as samples
    left join {{ ref('int_mode_cells') }} as evidence on samples.sample_id = evidence.event_key
    left join {{ ref('fct_feedback_modes') }} as shown
        on samples.sample_id = shown.event_key and samples.mode_id = shown.mode_id
    group by samples.spec_key
),

judged as (
    select
        wanted.*,
        coalesce(counted.samples, 0) as samples,
        case
            when wanted.status = 'proposed' then 'proposed, not accepted'
            when wanted.status = 'merged' then 'merged into ' || wanted.merged_into
            when wanted.status = 'retired' then 'retired'
            when coalesce(counted.members, 0) < {{ enough }} and wanted.role = 'policy'
                then 'too few eval-side answers of a registered policy: ' || coalesce(counted.members, 0) || ' of {{ enough }}'
            when coalesce(counted.members, 0) < {{ enough }}
                then 'too few labelled eval-side texts: ' || coalesce(counted.members, 0) || ' of {{ enough }}'
            when wanted.role = 'judge' and counted.complaints < {{ enough }}
                then 'too few distinct complaints: ' || counted.complaints || ' of {{ enough }}, in ' || counted.members
                    || ' labelled eval-side texts'
            when wanted.scorer = 'failure_mode' and counted.authors < {{ var('spec_authors_at_least') }}
                then 'all by one author: ' || counted.members || ' labelled eval-side texts'
            when wanted.scorer = 'failure_mode' and counted.confidence < {{ var('spec_confidence_at_least') }}
                then 'too mixed: mean confidence ' || round(counted.confidence, 2) || ', {{ var("spec_confidence_at_least") }} is needed'
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
