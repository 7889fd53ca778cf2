{% set enough = var('training_samples_at_least') %}

with counted as (
    select
        count(*) as samples,
        count(*) filter (where is_negative) as negatives,
        count(*) filter (where not is_negative) as positives
    from {{ ref('sync_spec_samples') }}
    where spec_key = 'train:all:judge'
),

judged as (
    select
        samples,
        case
            when samples < {{ enough }} then 'too few labelled training-side texts: ' || samples || ' of {{ enough }}'
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
