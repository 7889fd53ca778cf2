-- Attempts as the grader saw them. Of a job's, those of the epoch that counts; of the same attempt graded twice, the last.
with admitted as (
    select graded.*
    from {{ ref('stg_tasks__graded') }} as graded
    left join {{ ref('int_admitted_epochs') }} as epochs
        on graded.job_id = epochs.job_id and graded.epoch = epochs.epoch
    where graded.job_id is null or epochs.job_id is not null
),

placed as (
    select
        *,
        row_number() over (
            partition by task_id, coalesce(rollout_id, event_key), coalesce(job_id, ''), trial
            order by log_offset desc
        ) as place
    from admitted
)

select
    event_key as attempt_key,
    task_id,
    checkpoint_id,
    rollout_id,
    job_id,
    trial,
    status,
    strict,
    lenient,
    lenient - strict as gap,
    fail_to_pass,
    fail_to_pass_total,
    pass_to_pass,
    pass_to_pass_total,
    hidden,
    hidden_total,
    tripped,
    len(list_filter(
        cast(json_extract_string(tripped, '$[*].severity') as varchar[]), lambda severity: severity = 'cheat'
    )) as cheats,
    seconds,
    reason,
    received_at as graded_at
from placed
where place = 1
