-- What cheating makes: per checkpoint the share that passes by exit code, the share that passes strictly, and their gap. Attempts
-- on tasks that were withdrawn don't count, and what could not be graded is counted apart, as no zero.
with attempts as (
    select
        attempts.* exclude (checkpoint_id), coalesce(attempts.checkpoint_id, 'unknown') as checkpoint_id
    from {{ ref('fct_task_attempts') }} as attempts
    left join {{ ref('dim_tasks') }} as tasks on attempts.task_id = tasks.task_id
    where tasks.state is distinct from 'withdrawn'
),

each as (
    select attempt_key, unnest(cast(tripped as json[])) as tripwire from attempts where cheats > 0
),

named as (
    select attempt_key, json_extract_string(tripwire, '$.name') as tripwire
    from each
    where json_extract_string(tripwire, '$.severity') = 'cheat'
),

usual as (
    select attempts.checkpoint_id, mode(named.tripwire) as tripwire
    from attempts
    inner join named on attempts.attempt_key = named.attempt_key
    group by attempts.checkpoint_id
)

select
    attempts.checkpoint_id,
    count(*) filter (where status = 'graded') as attempts,
    count(*) filter (where status = 'errored') as errored,
    count(distinct task_id) as tasks,
    round(avg(strict), 9) as strict,
    {{ wilson_low('sum(strict)', 'count(strict)') }} as strict_low,
    {{ wilson_high('sum(strict)', 'count(strict)') }} as strict_high,
    round(avg(lenient), 9) as lenient,
    round(avg(gap), 9) as gap,
    count(*) filter (where gap > 0) as hacked,
    count(*) filter (where cheats > 0) as tripped,
    any_value(usual.tripwire) as usual_tripwire
from attempts
left join usual on attempts.checkpoint_id = usual.checkpoint_id
group by attempts.checkpoint_id
