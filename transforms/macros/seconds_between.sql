{# Seconds from one moment to another, with fractions. #}
{% macro seconds_between(earlier, later) %}((epoch_us({{ later }}) - epoch_us({{ earlier }})) / 1000000.0){% endmacro %}

{# The day of a moment in UTC, whatever the session's zone. #}
{% macro utc_day(moment) %}cast({{ moment }} at time zone 'UTC' as date){% endmacro %}

{# The whole second of a moment, counted from 1970. #}
{% macro epoch_second(moment) %}cast(floor(epoch_us({{ moment }}) / 1000000.0) as bigint){% endmacro %}
