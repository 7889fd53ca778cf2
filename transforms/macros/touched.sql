{# What a build into a copy of the last one makes anew. Arrivals touch responses, targets, days; rows that hang on what is
   touched are deleted from the copy and made again, all others stay. `int_touched_*` say what is touched; they are empty
   in a cold build, and after each.
   A model that is made so forgets in its pre-hook, and takes only what is touched where `is_incremental()`. #}

{# A pre-hook: delete from `this` the rows whose `columns` are those of a row of `touched`. #}
{% macro forget(touched, columns) %}
{% if is_incremental() %}
delete from {{ this }} as old where {{ is_touched('old', touched, columns) }}
{% endif %}
{% endmacro %}

{# Whether a row of `relation` has the `columns` of a row of `touched`. Null is a value like any other. #}
{% macro is_touched(relation, touched, columns) %}
exists (
    select 1
    from {{ ref(touched) }} as touched
    where {% for column in columns %}touched.{{ column }} is not distinct from {{ relation }}.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
)
{% endmacro %}

{# `is_touched` as a condition of a model that is made so; true where all is made. Names the dependency in both cases. #}
{% macro only_touched(relation, touched, columns) %}
{% set named = ref(touched) %}
{% if is_incremental() %}{{ is_touched(relation, touched, columns) }}{% else %}true{% endif %}
{% endmacro %}

{# Before `only_touched`: the day alone, by which whole groups of rows are passed over before the rest of a row is looked at. #}
{% macro of_touched_day(relation, touched) %}
{% if is_incremental() %}{{ relation }}.day in (select day from {{ ref(touched) }}) and {% endif %}
{% endmacro %}

{# `and` what keeps of `landed`, of the base model of `topic`, only the records of events of which one arrived. #}
{% macro of_touched_event(landed, topic) %}
and {{ landed }}.event_hash in (select event_hash from {{ ref('int_touched_events') }} where topic = '{{ topic }}')
{% endmacro %}

{# A table as the last build had it: read before this build changes it, by what it depends on. #}
{% macro former(name) %}{{ api.Relation.create(database=this.database, schema=this.schema, identifier=name) }}{% endmacro %}
