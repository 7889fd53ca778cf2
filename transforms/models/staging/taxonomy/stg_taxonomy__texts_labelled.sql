-- What a person said of a text, and where they took it back.
select event_key, received_at, log_offset, comment_key, text_hash, labelled_by, modes
from {{ events('taxonomy', 'taxonomy.text_labelled.v1') }} as labelled

union all

select event_key, received_at, log_offset, comment_key, text_hash, labelled_by, cast(null as varchar) as modes
from {{ events('taxonomy', 'taxonomy.label_withdrawn.v1') }} as withdrawn
