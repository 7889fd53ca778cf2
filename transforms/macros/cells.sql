{# What failure modes are counted by, beside the mode and the day. Null: not known. #}
{% macro cell_columns() %}{{ return(['checkpoint_id', 'experiment_id', 'variant', 'language', 'source', 'audience']) }}{% endmacro %}

{# One text for the columns of a cell. A digest has one length, so that no two cells look alike. #}
{% macro cell_key() -%}
    md5({% for column in cell_columns() %}coalesce(md5({{ column }}), '-'){{ " || " if not loop.last }}{% endfor %})
{%- endmacro %}

{# What a mode is looked at by, one at a time: the name of the dimension and its subject, null where not known. #}
{% macro cell_dimensions() %}
{{ return([
    ('all', "'all'"),
    ('checkpoint', 'checkpoint_id'),
    ('variant', "experiment_id || ': ' || variant"),
    ('language', 'language'),
    ('source', 'source'),
    ('audience', 'audience'),
]) }}
{% endmacro %}

{# `successes` of `n` as a share, null where there are none to look at. #}
{% macro share(successes, n) -%}
    case when {{ n }} > 0 then round({{ successes }} * 1.0 / {{ n }}, 9) end
{%- endmacro %}

{# Both ends of its Wilson interval at 95%; null likewise. #}
{% macro share_low(successes, n) -%}
    case when {{ n }} > 0 then case when {{ successes }} = 0 then 0.0 else {{ wilson_low(successes, n) }} end end
{%- endmacro %}
{% macro share_high(successes, n) -%}
    case when {{ n }} > 0 then case when {{ successes }} = {{ n }} then 1.0 else {{ wilson_high(successes, n) }} end end
{%- endmacro %}

{# An end of the 95% interval of one share less another, both with their Wilson ends in <name>, <name>_low, <name>_high:
   Newcombe (1998), Interval estimation for the difference between independent proportions, method 10. #}
{% macro difference_low(one, other) -%}
    round({{ one }} - {{ other }} - sqrt(pow({{ one }} - {{ one }}_low, 2) + pow({{ other }}_high - {{ other }}, 2)), 9)
{%- endmacro %}
{% macro difference_high(one, other) -%}
    round({{ one }} - {{ other }} + sqrt(pow({{ one }}_high - {{ one }}, 2) + pow({{ other }} - {{ other }}_low, 2)), 9)
{%- endmacro %}

{# A sum of shares, which rounding must not carry beyond 0 and their number. #}
{% macro within(total, n) %}greatest(0, least({{ n }}, round({{ total }}, 6))){% endmacro %}
