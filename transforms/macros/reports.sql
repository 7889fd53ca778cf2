{# A person's verdict on an automated report: shown, but never a vote on what the report is about. #}
{% macro is_report_verdict() %}(coalesce(metric_key, '') = 'report/valid'){% endmacro %}

{# Both ends of the Wilson score interval of `right` of `n` at 95%: stats/wilson.py, which a test compares. #}
{% macro wilson_low(right, n) %}{{ wilson(right, n, '-') }}{% endmacro %}
{% macro wilson_high(right, n) %}{{ wilson(right, n, '+') }}{% endmacro %}

{% macro wilson(right, n, sign) -%}
    {%- set z = '1.959963984540054' -%}
    round(
        (
            {{ right }} * 1.0 / {{ n }} + {{ z }} * {{ z }} / (2 * {{ n }})
            {{ sign }} {{ z }} * sqrt(
                {{ right }} * 1.0 / {{ n }} * (1 - {{ right }} * 1.0 / {{ n }}) / {{ n }} + {{ z }} * {{ z }} / (4.0 * {{ n }} * {{ n }})
            )
        ) / (1 + {{ z }} * {{ z }} / {{ n }}), 9
    )
{%- endmacro %}
