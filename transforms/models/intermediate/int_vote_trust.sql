-- What takes weight from votes, kept, so that the next build sees what has become of it.
-- depends_on: {{ ref('int_touched_weights') }}
select * from {{ ref('int_weights') }}
