-- Tasks that somebody tried, with how often it passed: rollouts that came with a reward, graded attempts, samples of evals.
select
    'rollout' as kind,
    source as benchmark,
    coalesce(checkpoint_id, model, 'unknown') as subject,
    task_id,
    task_id as cluster,
    count(*) as trials,
    count(*) filter (where reward >= 1) as passed
from {{ ref('int_rollouts') }}
where task_id is not null and reward is not null and import_id is not null
group by all

union all

select
    'task' as kind,
    tasks.package as benchmark,
    coalesce(attempts.checkpoint_id, 'unknown') as subject,
    attempts.task_id,
    attempts.task_id as cluster,
    count(*) as trials,
    count(*) filter (where attempts.strict >= 1) as passed
from {{ ref('fct_task_attempts') }} as attempts
inner join {{ ref('dim_tasks') }} as tasks on attempts.task_id = tasks.task_id
where attempts.status = 'graded' and tasks.state = 'certified'
group by all

union all

select
    'eval' as kind,
    specs.spec_key as benchmark,
    samples.checkpoint_id as subject,
    samples.sample_id as task_id,
    coalesce(any_value(samples.cluster), samples.sample_id) as cluster,
    count(*) as trials,
    count(*) filter (where samples.score >= 1) as passed
from {{ ref('fct_eval_samples') }} as samples
inner join {{ ref('fct_specs') }} as specs on samples.spec_id = specs.spec_id
where samples.score is not null and not samples.is_provisional and samples.checkpoint_id is not null and specs.is_latest
group by specs.spec_key, samples.checkpoint_id, samples.sample_id
