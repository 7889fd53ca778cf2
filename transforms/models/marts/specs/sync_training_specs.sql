{% set enough = var('training_samples_at_least') %}

with counted as (
    select
        count(*) as samples,
        count(distinct evidence.complaint_key) as complaints,
        count(*) filter (where samples.is_negative) as negatives,
        count(*) filter (where not samples.is_negative) as positives
    from {{ ref('sync_spec_samples') }} as samples
    left join {{ ref('int_mode_cells') }} as evidence on samples.sample_id = evidence.event_key
    where samples.spec_key = 'train:all:judge'
),

judged as (
    select
        samples,
        case
            when samples < {{ enough }} then 'too few labelled training-side texts: ' || samples || ' of {{ enough }}'
            when complaints < {{ enough }}
                then 'too few distinct complaints: ' || complaints || ' of {{ enough }}, in ' || samples
                    || ' labelled training-side texts'
            when negatives = 0 then 'no training-side text is known to be negative'
            when positives = 0 then 'no training-side text is known not to be negative'
            else 'ready'
        end as reason
    from counted
)

select
    'train:all:judge' as spec_key,
    cast(null as varchar) as mode_id,
    'judge' as method,
    'judge' as role,
    '{{ tojson(var("judge_args")) }}' as args,
    cast(600 as double) as budget_s,
    '["eval:all:judge"]' as must_improve,
    '[]' as must_not_fall,
    samples,
    reason = 'ready' as ready,
    reason
from judged
