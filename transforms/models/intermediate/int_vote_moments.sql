-- Current votes of persons with the days that their weight goes by. A vote's moment is its arrival, which its sender can't
-- choose; of what was imported it is the time that the file says, and where it says none the vote has no moment, since a
-- whole file arrives at once.
{{ config(materialized='view') }}

select log_partition, log_offset, source, target_kind, target_hash, author_hash, received_at, moment, moment_day, day
from {{ ref('int_votes') }} as votes
where weighs
