select
    event_key,
    received_at,
    file_import_id,
    format,
    file_name,
    sha256,
    landed.rows,
    rows_accepted,
    rows_duplicate,
    rows_refused,
    rows_without_feedback,
    events,
    corrects
from {{ events('imports', 'import.file_imported.v1') }} as landed
