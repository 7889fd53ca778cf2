{# A table of which later builds make anew what arrivals touch: the first builds it whole; then its pre-hooks delete, and
   what the model says is added. dbt's own `incremental` puts the rows into a table of its own before, which is for models
   that read what they write (`this`), and asks for columns that can't have changed: other code builds from nothing. #}
{% materialization remade, adapter='duckdb', supported_languages=['sql'] %}
  {% set target = this.incorporate(type='table') %}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% call statement('main') %}
    {% if is_incremental() %}
    insert into {{ target }} by name ({{ sql }})
    {% else %}
    create or replace table {{ target }} as ({{ sql }})
    {% endif %}
  {% endcall %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}

{# A table that each build makes whole. dbt's own `table` makes it beside, renames both and drops one, which is for others who
   read meanwhile; nobody reads a build before it is published. #}
{% materialization replaced, adapter='duckdb', supported_languages=['sql'] %}
  {% set target = this.incorporate(type='table') %}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% call statement('main') %}
    create or replace table {{ target }} as ({{ sql }})
  {% endcall %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}

{# Whether only what is touched is made: where the builder says that the file is a copy of the last build. dbt's own looks
   through all relations for every model, and knows `incremental` alone, which must go by what is there. #}
{% macro is_incremental() %}
    {% if not execute or should_full_refresh() %}{{ return(False) }}{% endif %}
    {% if model.config.materialized == 'incremental' %}{{ return(load_cached_relation(this) is not none) }}{% endif %}
    {{ return(
        model.config.materialized in ['remade', 'replaced'] and env_var('FLYWHEEL_BUILD_ADDS', 'no') == 'yes'
    ) }}
{% endmacro %}
