{# The records of a topic that the base model doesn't have yet, by arrival: beyond the last position of each partition,
   whatever the events say about their own time. All of them on a cold build. On DuckDB a view over those of the topic's
   Parquet segments that may have some, put there by the builder. #}
{% macro arrivals(topic) %}{{ source('arrivals', topic) }}{% endmacro %}

{# The same records as the base model has them once it has been built into a copy of the last build; only there. On DuckDB a
   view with the positions in it, by which it passes over all that was there before. #}
{% macro added(topic) %}{{ source('arrivals', 'added_' ~ topic) }}{% endmacro %}
