{{ config(meta={'reads': ['imported']}) }}
{% set topics = topics() %}

with files as (
    select *, row_number() over (partition by file_import_id order by received_at, event_key) as place
    from {{ ref('stg_imports__files') }}
),

landed as (
    {% for topic in topics %}
    select import_id, count(*) as events, count(*) filter (where erased is not null) as erased
    from {{ ref('base_' ~ topic) }}
    where error is null and import_id is not null
    {% if topic == 'imports' %}
        and import_id <> file_import_id  -- what an import says of itself is not among what it wrote
    {% endif %}
    group by import_id
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

written as (
    select import_id, cast(sum(events) as bigint) as events, cast(sum(erased) as bigint) as erased
    from landed group by import_id
),

copies as (
    select
        import_id,
        count(*) filter (where is_identical) as identical,
        count(*) filter (where not is_identical) as refused
    from {{ ref('base_copies') }}
    group by import_id
)

select
    files.file_import_id,
    files.format,
    files.file_name,
    files.received_at,
    files.rows,
    files.rows_accepted,
    files.rows_duplicate,
    files.rows_refused,
    files.rows_without_feedback,
    files.events,
    coalesce(written.events, 0) - coalesce(written.erased, 0) - coalesce(copies.identical, 0) - coalesce(copies.refused, 0)
        as events_accepted,
    coalesce(copies.identical, 0) as events_duplicate,
    coalesce(copies.refused, 0) as events_quarantined,
    coalesce(written.erased, 0) as events_erased,
    greatest(files.events - coalesce(written.events, 0), 0) as events_awaited,
    files.corrects,
    corrections.file_import_id as corrected_by
from files
left join (
    select corrects, max(file_import_id) as file_import_id from files where corrects is not null group by corrects
) as corrections on files.file_import_id = corrections.corrects
left join written on files.file_import_id = written.import_id
left join copies on files.file_import_id = copies.import_id
where files.place = 1
