with placed as (
    select
        results.*,
        row_number() over (partition by results.job_id order by results.received_at, results.event_key) as place
    from {{ ref('stg_results__evals_completed') }} as results
    inner join {{ ref('int_jobs') }} as jobs
        on results.job_id = jobs.job_id and results.epoch = jobs.epoch and jobs.status = 'completed'
)

select
    placed.job_id,
    placed.spec_id,
    specs.spec_key,
    specs.mode_id,
    placed.checkpoint_id,
    placed.metric,
    placed.value,
    placed.low,
    placed.high,
    placed.interval,
    placed.samples,
    placed.scored,
    placed.errored,
    placed.trials,
    placed.clusters,
    placed.stopped_early,
    placed.unasked,
    placed.prompt_tokens,
    placed.completion_tokens,
    placed.usd,
    placed.received_at as completed_at
from placed
left join {{ ref('fct_specs') }} as specs on placed.spec_id = specs.spec_id
where placed.place = 1
