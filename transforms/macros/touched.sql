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

{# A pre-hook: delete all rows. #}
{% macro forget_all() %}{% if is_incremental() %}delete from {{ this }}{% endif %}{% endmacro %}

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

{# What arrived since the last build, out of a base model. #}
{% macro arrived(topic) %}
(
    select landed.*
    from {{ ref('base_' ~ topic) }} as landed
    left join {{ former('flywheel_build_positions') }} as seen
        on seen.topic = '{{ topic }}' and landed.log_partition = seen.log_partition
    where landed.log_offset > coalesce(seen.last_offset, -1)
)
{% endmacro %}

{# Records that are events no more, or are now, because a copy of theirs arrived. #}
{% macro displaced(topic) %}
(
    select landed.*
    from {{ ref('base_' ~ topic) }} as landed
    inner join {{ ref('base_copies') }} as copies
        on copies.topic = '{{ topic }}'
        and landed.log_partition = copies.log_partition
        and landed.log_offset = copies.log_offset
    where exists (
        select 1
        from {{ ref('int_touched_events') }} as touched
        where touched.topic = '{{ topic }}' and touched.source = copies.source and touched.event_id = copies.event_id
    )
)
{% endmacro %}

{# A table as the last build had it: read before this build changes it, by what it depends on. #}
{% macro former(name) %}{{ api.Relation.create(database=this.database, schema=this.schema, identifier=name) }}{% endmacro %}

{# `forget` and `only_touched` for rows by day: of one `kind` of int_touched_days. #}
{% macro forget_days(kind, column) %}
{% if is_incremental() %}
delete from {{ this }} as old where old.{{ column }} in (select day from {{ ref('int_touched_days') }} where kind = '{{ kind }}')
{% endif %}
{% endmacro %}

{% macro only_touched_days(relation, kind, column) %}
{% set named = ref('int_touched_days') %}
{% if is_incremental() %}{{ relation }}.{{ column }} in (select day from {{ named }} where kind = '{{ kind }}'){% else %}true{% endif %}
{% endmacro %}
