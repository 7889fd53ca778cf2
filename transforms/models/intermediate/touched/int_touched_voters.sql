-- Who gave feedback since the last build, and on what: a voter by the author alone, and a target by its id, which may touch
-- more than it must but never less. Null stands for what is not known.
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}
-- depends_on: {{ ref('base_feedback') }}, {{ ref('base_copies') }}, {{ ref('int_touched_events') }}

with touched as (
    {% if is_incremental() %}
    select target_id, author_id
    from {{ arrived('feedback') }} as arrived
    where error is null and type <> 'feedback.preference_given.v1'
    union
    select target_id, author_id
    from {{ displaced('feedback') }} as displaced
    where type <> 'feedback.preference_given.v1'
    {% else %}
    select target_id, author_id from {{ ref('base_feedback') }} where false
    {% endif %}
)

select *, concat_ws('|', coalesce('target:' || target_id, 'none'), coalesce('author:' || author_id, 'none')) as touched_key
from touched
