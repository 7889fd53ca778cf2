-- The judge that is asked about feedback without a vote: the newest that is not provably worse than another on the newest
-- revision of `eval:all:judge` (its interval reaches that of every other). One that was withdrawn is not asked. While a judge that counts still waits for its result there is none: what it would say differently costs twice.
with withdrawn as (
    select checkpoint_id from {{ ref('stg_checkpoints__judges_withdrawn') }}
),

waiting as (
    select judges.checkpoint_id
    from {{ ref('dim_checkpoints') }} as judges
    inner join {{ ref('fct_specs') }} as specs on specs.spec_key = 'eval:all:judge' and specs.is_latest
    left join {{ ref('fct_jobs') }} as jobs
        on jobs.spec_id = specs.spec_id
        and jobs.checkpoint_id = judges.checkpoint_id
        and jobs.status in ('completed', 'failed')
    where judges.role = 'judge' and judges.counts and jobs.job_id is null
        and judges.checkpoint_id not in (select checkpoint_id from withdrawn)
),

measured as (
    select
        results.checkpoint_id,
        checkpoints.registered_at,
        max(results.value) as value,
        -- A result without an interval is taken at its word.
        max(coalesce(results.low, results.value)) as low,
        max(coalesce(results.high, results.value)) as high
    from {{ ref('fct_eval_results') }} as results
    inner join {{ ref('fct_specs') }} as specs on results.spec_id = specs.spec_id
    inner join {{ ref('dim_checkpoints') }} as checkpoints on results.checkpoint_id = checkpoints.checkpoint_id
    where specs.spec_key = 'eval:all:judge'
        and specs.is_latest
        and checkpoints.counts
        and checkpoints.role = 'judge'
        and checkpoints.checkpoint_id not in (select checkpoint_id from withdrawn)
        and results.value is not null
    group by results.checkpoint_id, checkpoints.registered_at
),

ranked as (
    select
        checkpoint_id,
        value,
        row_number() over (order by registered_at desc, checkpoint_id) as place
    from measured
    where high >= (select max(low) from measured)
)

select checkpoint_id, value
from ranked
where place = 1 and not exists (select 1 from waiting)
