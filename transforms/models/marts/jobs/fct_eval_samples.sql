with placed as (
    select
        samples.*,
        epochs.status <> 'completed' as is_provisional,
        row_number() over (
            partition by samples.job_id, samples.sample_id, samples.trial
            order by samples.epoch desc, samples.received_at, samples.event_key
        ) as place
    from {{ ref('stg_results__eval_samples') }} as samples
    inner join {{ ref('int_admitted_epochs') }} as epochs
        on samples.job_id = epochs.job_id and samples.epoch = epochs.epoch
)

select
    job_id,
    sample_id,
    trial,
    spec_id,
    checkpoint_id,
    epoch,
    cluster,
    scorer,
    status,
    fault,
    score,
    lenient,
    answer,
    explanation,
    truncated,
    judge_id,
    judge_version,
    rollout_id,
    prompt_tokens,
    completion_tokens,
    usd,
    seconds,
    is_provisional
from placed
where place = 1
