{# The records of a topic that the base model doesn't have yet, by arrival: beyond the last position of each partition,
   whatever the events say about their own time. All of them on a cold build. On DuckDB a view over those of the topic's
   Parquet segments that may have some, put there by the builder. #}
{% macro arrivals(topic) %}{{ source('arrivals', topic) }}{% endmacro %}
