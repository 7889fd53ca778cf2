{# The `meta` of models that have no row, and need not be made, as long as no experiment was started. #}
{% macro of_experiments() %}{{ return({'rows_of': ['experiment.started.v1'], 'rows_in': 'int_experiments'}) }}{% endmacro %}

{# False until an experiment was started: then models `of_experiments` are empty, whether a build makes them or not. #}
{% macro has_experiments() %}exists (select 1 from {{ ref('int_experiments') }}){% endmacro %}

{# Who an exposure or an observation is of: the person; an anonymous id that belongs to one person is that person. #}
{% macro person_key(seen, links) -%}
coalesce({{ seen }}.person_id, {{ links }}.person_id, 'anonymous:' || {{ seen }}.anonymous_id)
{%- endmacro %}

{# Ids that are the same for everybody whom a product doesn't know. #}
{% macro is_constant(unit) -%}
regexp_matches(
    lower(regexp_replace({{ unit }}, '^anonymous:', '')),
    '^(|-|0+|[0-]+|null|none|nil|nan|n/a|undefined|unknown|anonymous|anon|guest|user|default|test)$'
)
{%- endmacro %}

{# Programs that say what they are. #}
{% macro is_bot(unit) -%}
regexp_matches(lower({{ unit }}), '(^|[^a-z])(\w*bot|crawler|spider|healthcheck|health-check|synthetic|loadtest|load-test|monitoring)([^a-z]|$)')
{%- endmacro %}

{# Exposures of experiments that have been started, before they were stopped, each with its unit. #}
{% macro exposures() %}
    select
        seen.experiment_id,
        seen.event_hash,
        seen.anonymous_hash,
        seen.response_id,
        seen.variant,
        experiments.unit as unit_kind,
        case experiments.unit
            when 'person' then {{ person_key('seen', 'links') }}
            when 'conversation' then coalesce(responses.conversation_id, responses.response_id)
            else seen.response_id
        end as unit_key,
        hash(unit_key) as unit_hash,
        seen.source,
        responses.language,
        responses.audience,
        seen.happened_at,
        {{ utc_day('seen.happened_at') }} as day,
        seen.received_at,
        seen.log_partition,
        seen.log_offset
    from {{ ref('stg_experiments__exposures') }} as seen
    inner join {{ ref('int_experiments') }} as experiments on seen.experiment_id = experiments.experiment_id
    left join {{ ref('int_person_links') }} as links
        on seen.anonymous_hash = links.anonymous_hash and seen.anonymous_id = links.anonymous_id and links.persons = 1
    left join {{ ref('int_responses') }} as responses on seen.response_id = responses.response_id
    where unit_key is not null
        and (experiments.stopped_at is null or seen.happened_at <= experiments.stopped_at)
{% endmacro %}

{# What metrics add up, before it is added: one row per observation and side of a metric (`numerator`, `denominator`), of all
   kinds of unit that experiments have. Conditions: `answers` on answers, `seen` on what products measured. #}
{% macro observations(answers, seen, feeds) %}
with kinds as (
    select distinct unit from {{ ref('int_experiments') }}
),

said as (
    select
        answers.person_id,
        coalesce(answers.conversation_id, answers.response_id) as conversation_id,
        answers.response_id,
        {{ answer_moment('answers') }} as happened_at,
        {{ utc_day(answer_moment('answers')) }} as day,
        answers.latency_ms,
        answers.cost_usd,
        answers.trusted_up,
        answers.trusted_down,
        coalesce(marks.complaints, 0) as complaints,
        coalesce(marks.evaluations, 0) as evaluations,
        marks.evaluation
    from {{ ref('fct_responses') }} as answers
    left join {{ ref('int_answer_marks') }} as marks on answers.response_id = marks.response_id
),

answers as (
    select
        kinds.unit as unit_kind,
        case kinds.unit
            when 'person' then said.person_id
            when 'conversation' then said.conversation_id
            else said.response_id
        end as unit_key,
        hash(unit_key) as unit_hash,
        said.*
    from said
    cross join kinds
    where unit_key is not null
),

seen as (
    select
        kinds.unit as unit_kind,
        case kinds.unit
            when 'person' then {{ person_key('metrics', 'links') }}
            when 'conversation' then coalesce(responses.conversation_id, responses.response_id)
            else metrics.response_id
        end as unit_key,
        hash(unit_key) as unit_hash,
        metrics.metric_key,
        metrics.happened_at,
        metrics.day,
        metrics.value
    from {{ ref('stg_experiments__metrics') }} as metrics
    cross join kinds
    left join {{ ref('int_person_links') }} as links
        on metrics.anonymous_hash = links.anonymous_hash and metrics.anonymous_id = links.anonymous_id and links.persons = 1
    left join {{ ref('int_responses') }} as responses on metrics.response_id = responses.response_id
    where unit_key is not null
),

feeds as (
    {{ feeds }}
)

select
    feeds.metric,
    feeds.side,
    answers.unit_kind,
    answers.unit_key,
    answers.unit_hash,
    answers.happened_at,
    answers.day,
    try_cast(
        case feeds.value
            when 'one' then 1
            when 'latency_ms' then answers.latency_ms
            when 'cost_usd' then answers.cost_usd
            when 'has_cost' then case when answers.cost_usd is not null then 1 end
            when 'thumbs' then answers.trusted_up + answers.trusted_down
            when 'thumbs_up' then answers.trusted_up
            when 'thumbs_down' then answers.trusted_down
            when 'evaluations' then answers.evaluations
            when 'evaluation' then answers.evaluations * answers.evaluation
            when 'complaints' then answers.complaints
        end as {{ amount() }}
    ) as amount
from answers
inner join feeds on feeds.source = 'answers'
where amount is not null and {{ answers }}

union all

select
    feeds.metric,
    feeds.side,
    seen.unit_kind,
    seen.unit_key,
    seen.unit_hash,
    seen.happened_at,
    seen.day,
    try_cast(case feeds.value when 'one' then 1 else seen.value end as {{ amount() }}) as amount
from seen
inner join feeds on feeds.source = 'observed' and feeds.name = seen.metric_key
where amount is not null and {{ seen }}
{% endmacro %}

{# Sums are exact and don't hang on the order of rows: a unit whose sum hasn't changed is told by it. #}
{% macro amount() %}decimal(38, 9){% endmacro %}

{# When an answer counts as given. #}
{% macro answer_moment(answers) -%}
case
    when {{ answers }}.occurred_at is null or {{ seconds_between(answers ~ '.received_at', answers ~ '.occurred_at') }} > {{ skew_allowed() }}
        then {{ answers }}.received_at
    else {{ answers }}.occurred_at
end
{%- endmacro %}

{# Both sides of all metrics but quantiles, or of quantiles alone. #}
{% macro feeds(of_quantiles=false) %}
    select metric, 'numerator' as side, numerator_of as source, numerator_value as value, numerator_name as name
    from {{ ref('dim_metrics') }}
    where (kind = 'quantile') = {{ of_quantiles }}
    union all
    select metric, 'denominator' as side, denominator_of as source, denominator_value as value, denominator_name as name
    from {{ ref('dim_metrics') }}
    where denominator_of is not null and (kind = 'quantile') = {{ of_quantiles }}
{% endmacro %}

{# What the sums of experiments are kept by, beside the day. #}
{% macro ab_cell() %}experiment_id, metric, variant, language, audience, source{% endmacro %}

{% macro ab_sums() %}{{ return(['n', 'y', 'd', 'p', 'q', 'yy', 'yd', 'yp', 'yq', 'dd', 'dp', 'dq', 'pp', 'pq', 'qq']) }}{% endmacro %}

{# The bin of an amount: its logarithm in steps of 2%, by transforms/experiments/bins.py, which a test compares. #}
{% macro bin(amount) -%}
case when {{ amount }} > 0 then cast(floor(ln(cast({{ amount }} as double)) / ln(1.02)) as integer) else -10000 end
{%- endmacro %}

{# Days after the exposure on which it is known whether a unit did what it can do but once; null for what adds up. #}
{% macro matures() %}case kind when 'retention' then to_day when 'proportion' then window_days - 1 end{% endmacro %}

{# Metrics whose effect may fade, and how many days either half has: what adds up, in its window or two weeks. #}
{% macro halved() %}
    select metric, kind, winsorise as cap, cast(least(coalesce(window_days, 14), 14) // 2 as integer) as half_days
    from {{ ref('dim_metrics') }}
    where kind in ('mean', 'ratio') and half_days > 0
{% endmacro %}
