-- The strict and the lenient reading of a run stand on both rows, so that their gap needs no join.
with numbered as (
    select
        *,
        concat_ws(
            '|', source, benchmark, model, 'step:' || step, 'arm:' || arm, 'shots:' || shots, 'run:' || run_id, metric
        ) as reading_key
    from {{ ref('stg_results__evals_reported') }}
),

newest as (
    select
        *,
        reading_key || '|' || coalesce(strictness, 'plain') as eval_key,
        row_number() over (
            partition by reading_key, strictness
            order by received_at desc, log_partition desc, log_offset desc
        ) as place,
        count(*) over (partition by reading_key, strictness) as versions
    from numbered
)

select
    eval_key,
    event_key,
    source,
    received_at,
    occurred_at,
    import_id,
    benchmark,
    model,
    checkpoint_id,
    step,
    arm,
    shots,
    run_id,
    metric,
    strictness,
    value,
    stderr,
    samples,
    max(value) filter (where strictness = 'strict') over of_one_run as strict_value,
    max(value) filter (where strictness = 'lenient') over of_one_run as lenient_value,
    max(value) filter (where strictness = 'lenient') over of_one_run
        - max(value) filter (where strictness = 'strict') over of_one_run as gap,
    versions
from newest
where place = 1
window of_one_run as (partition by reading_key)
