{# Places of records that `relation`, a base model or what arrived of one, has a correction for (`flywheel dead-letters
   retry --value`), and the event that stands for each: the first. #}
{% macro corrected(relation) %}
(
    select
        try_cast(split_part(corrects_place, '/', 2) as integer) as log_partition,
        try_cast(split_part(corrects_place, '/', 3) as bigint) as log_offset,
        min_by({{ event_key() }}, (received_at, log_partition, log_offset)) as corrected_by
    from {{ relation }}
    where corrects_place is not null and error is null and erased is null
    group by 1, 2
)
{% endmacro %}
