-- A use is written down before its answer is given, and again with what the answer told: both are of one job.
with told as (
    select
        benchmark,
        version,
        coalesce(job_id, event_key) as use_id,
        min(received_at) as used_at,
        min(log_offset) as first_offset,
        min_by(checkpoint_id, log_offset) as checkpoint_id,
        min_by(purpose, log_offset) as purpose,
        min_by(better, log_offset) filter (where better is not null) as better,
        max(job_id) as job_id
    from {{ ref('stg_specs__benchmarks_used') }}
    group by benchmark, version, coalesce(job_id, event_key)
)

select
    benchmark,
    version,
    use_id,
    row_number() over (partition by benchmark, version order by first_offset) as use_number,
    checkpoint_id,
    purpose,
    better,
    job_id,
    used_at
from told
