{{ config(materialized='remade') }}

select
{{ envelope() }},
    corrects,
    events,
    file_import_id,
    file_name,
    format,
    reason,
    landed.row,
    landed.rows,
    rows_accepted,
    rows_duplicate,
    rows_refused,
    rows_without_feedback,
    sha256,
    text
from {{ arrivals('imports') }} as landed
