{% set enough = var('training_samples_at_least') %}
{% set new_enough = var('classifier_new_examples_at_least') %}
{% set most = var('classifier_examples_at_most') %}

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
),

last_classifier as (
    select issued.issued_at, trainings.evidence
    from {{ ref('fct_specs') }} as issued
    inner join {{ ref('stg_specs__trainings_issued') }} as trainings on issued.spec_id = trainings.spec_id
    where issued.spec_key = 'train:all:classifier' and issued.is_latest
),

learnt as (
    select element as example_key, max(issued_at) as issued_at
    from {{ json_elements('last_classifier', 'issued_at', 'evidence') }} as listed
    group by element
),

-- New is what the last spec did not have, or what a person has spoken of since; what we bring is known to begin with.
taught as (
    select
        count(*) as samples,
        count(distinct examples.mode_id) as modes,
        count(*) filter (
            where not examples.is_built_in
                and (learnt.example_key is null or coalesce(examples.labelled_at > learnt.issued_at, false))
        ) as new_samples
    from {{ ref('int_classifier_examples') }} as examples
    left join learnt on examples.example_key = learnt.example_key
),

taught_judged as (
    select
        samples,
        case
            when modes < 3 then 'too few modes with examples: ' || modes || ' of 3, praise and other among them'
            when samples > {{ most }} then 'more examples than a spec can name: ' || samples || ', at most {{ most }}'
            when new_samples < {{ new_enough }}
                then 'too few new labels and examples of a team: ' || new_samples || ' of {{ new_enough }}'
            else 'ready'
        end as reason
    from taught
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

union all

select
    'train:all:classifier' as spec_key,
    cast(null as varchar) as mode_id,
    'mode-classifier' as method,
    'classifier' as role,
    '{}' as args,
    cast(600 as double) as budget_s,
    '[]' as must_improve,
    '[]' as must_not_fall,
    samples,
    reason = 'ready' as ready,
    reason
from taught_judged
