-- Tasks by their last certification; one that was withdrawn after it stays so until it is certified again.
with certified as (
    select
        *,
        count(*) over (partition by task_id) as certifications,
        row_number() over (partition by task_id order by log_offset desc) as place
    from {{ ref('stg_tasks__certified') }}
),

withdrawn as (
    select task_id, max(log_offset) as log_offset, max_by(reason, log_offset) as reason
    from {{ ref('stg_tasks__withdrawn') }}
    group by task_id
),

attempts as (
    select task_id, count(*) as attempts, avg(strict) as pass_rate
    from {{ ref('fct_task_attempts') }}
    where status = 'graded'
    group by task_id
)

select
    certified.task_id,
    certified.package,
    certified.version,
    certified.kind,
    certified.units,
    certified.lines,
    certified.files,
    certified.difficulty,
    case when withdrawn.log_offset > certified.log_offset then 'withdrawn' else 'certified' end as state,
    case when withdrawn.log_offset > certified.log_offset then withdrawn.reason end as reason,
    certified.fail_to_pass,
    certified.pass_to_pass,
    certified.hidden,
    certified.mutants,
    certified.mutants_killed,
    certified.tree_sha256,
    certified.tests_sha256,
    certified.gold_sha256,
    certified.hidden_sha256,
    certified.signature,
    certified.certifications,
    certified.received_at as certified_at,
    coalesce(attempts.attempts, 0) as attempts,
    round(attempts.pass_rate, 9) as pass_rate
from certified
left join withdrawn on certified.task_id = withdrawn.task_id
left join attempts on certified.task_id = attempts.task_id
where certified.place = 1
