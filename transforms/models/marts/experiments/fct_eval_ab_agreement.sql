-- Which evals say the same of two checkpoints as the people who used them: of experiments that have a verdict, on how many the
-- eval's scores differ in the same direction. An eval that can't tell the two apart says nothing.
{{ config(meta=of_experiments()) }}

with decided as (
    select outcomes.experiment_id, outcomes.metric, outcomes.variant, outcomes.verdict = 'better' as is_better
    from {{ ref('fct_ab_outcomes') }} as outcomes
    where outcomes.is_latest and outcomes.role = 'decision' and outcomes.verdict in ('better', 'worse')
),

pairs as (
    select
        decided.*,
        treatments.checkpoint_id as treatment_id,
        controls.checkpoint_id as control_id
    from decided
    inner join {{ ref('int_experiment_arms') }} as treatments
        on decided.experiment_id = treatments.experiment_id and decided.variant = treatments.variant
    inner join {{ ref('int_experiment_arms') }} as controls
        on decided.experiment_id = controls.experiment_id and controls.place = 0
    where treatments.checkpoint_id <> controls.checkpoint_id
),

scored as (
    select coalesce(spec_key, spec_id) as eval, checkpoint_id, max_by(value, completed_at) as value
    from {{ ref('fct_eval_results') }}
    where checkpoint_id is not null
    group by eval, checkpoint_id
    union all
    select benchmark || ' (' || metric || ')' as eval, checkpoint_id, max_by(value, received_at) as value
    from {{ ref('fct_reported_evals') }}
    where checkpoint_id is not null
    group by eval, checkpoint_id
),

compared as (
    select scored.eval, pairs.metric, (scored.value > controls.value) = pairs.is_better as agrees
    from pairs
    inner join scored on pairs.treatment_id = scored.checkpoint_id
    inner join scored as controls on pairs.control_id = controls.checkpoint_id and scored.eval = controls.eval
    where scored.value <> controls.value
)

select
    eval,
    metric,
    count(*) as pairs,
    count(*) filter (where agrees) as agreeing,
    round(avg(cast(agrees as integer)), 9) as agreement,
    {{ wilson_low('count(*) filter (where agrees)', 'count(*)') }} as low,
    {{ wilson_high('count(*) filter (where agrees)', 'count(*)') }} as high
from compared
group by eval, metric
