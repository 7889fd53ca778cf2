select event_key, received_at, file_import_id, landed.row, reason, text
from {{ events('imports', 'import.row_refused.v1') }} as landed
