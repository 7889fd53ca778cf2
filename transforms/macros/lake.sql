{# The lake relation: every record of a topic. On DuckDB a view over the topic's Parquet segments, put there by the builder. #}
{% macro lake(topic) %}{{ source('raw', topic) }}{% endmacro %}

{# The records of a topic that `this` doesn't have yet, by arrival: beyond the last position of each partition, whatever
   the events say about their own time. All of them on a cold build. #}
{% macro arrivals(topic) %}
(
    select landed.*
    from {{ lake(topic) }} as landed
    {% if is_incremental() %}
    left join (
        select log_partition, max(log_offset) as last_offset from {{ this }} group by log_partition
    ) as seen on landed.log_partition = seen.log_partition
    where landed.log_offset > coalesce(seen.last_offset, -1)
    {% endif %}
)
{% endmacro %}
