{# The topics of the contract, as `models/topics.py` has them; a test compares the two. #}
{% macro topics() %}
{{ return(['responses', 'feedback', 'taxonomy', 'experiments', 'checkpoints', 'specs', 'jobs', 'results', 'tasks', 'imports', 'privacy']) }}
{% endmacro %}
