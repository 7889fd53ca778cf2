select mode_id, counts_as as successor_id
from {{ ref('int_modes') }}
where counts_as is not null
