-- Persons that exposures say an anonymous id belongs to. One that belongs to several is nobody's: a shared device, a constant.
{{ config(
    materialized='remade', meta=of_experiments(),
    pre_hook="{{ forget('int_touched_exposures', ['anonymous_hash']) }}"
) }}

select anonymous_id, anonymous_hash, count(distinct person_id) as persons, min(person_id) as person_id
from {{ ref('stg_experiments__exposures') }} as seen
where anonymous_id is not null and person_id is not null and {{ has_experiments() }}
    and {{ only_touched('seen', 'int_touched_exposures', ['anonymous_hash']) }}
group by anonymous_id, anonymous_hash
