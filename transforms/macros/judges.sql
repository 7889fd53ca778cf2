{# What hangs on answers of judges: nothing, where there are none and nothing has come that could be one. #}
{% macro of_judges() %}{{ return({
    'rows_of': [
        'feedback.score_given.v1', 'feedback.preference_given.v1', 'result.eval_sample_scored.v1', 'job.completed.v1',
        'checkpoint.registered.v1',
    ],
    'rows_in': 'int_judge_answers',
}) }}{% endmacro %}
