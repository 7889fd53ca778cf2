-- What only scores, texts and comparisons have is in base_feedback_details: to write a column of nulls takes as long as one of numbers.
{{ config(materialized='remade') }}

select
{{ envelope() }},
    hash(target_id) as target_hash,
    hash(target_id, author_id) as voter_hash,
    author_id,
    author_kind,
    metric,
    native_id,
    sequence,
    target_id,
    target_kind,
    thumb
from {{ arrivals('feedback') }} as landed
