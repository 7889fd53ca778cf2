-- Weights that are others than in the last build, or came or went: of votes in a burst by their place, of a flood by its
-- author and day.
-- depends_on: {{ ref('int_weights') }}

{% if is_incremental() %}
select distinct weight_key, log_partition, log_offset, author_hash, day
from (
    (select * from {{ ref('int_weights') }} except select * from {{ former('int_vote_trust') }})
    union all
    (select * from {{ former('int_vote_trust') }} except select * from {{ ref('int_weights') }})
) as changed
{% else %}
select weight_key, log_partition, log_offset, author_hash, day from {{ ref('int_weights') }} where false
{% endif %}
