{# A score that a job of ours wrote: shown, but never a vote. #}
{% macro is_own_judgement() %}(author_kind = 'code' and job_id is not null){% endmacro %}

{% macro vote_columns() %}
        event_key, event_id, source, kind, received_at, log_partition, log_offset, occurred_at, happened_at, is_skewed, target_kind, target_id,
        author_kind, author_id, voter, sequence, native_id, import_id, import_row, repaired, metric, metric_key
{% endmacro %}

{% macro written_columns() %}
        event_key, event_id, source, kind, received_at, log_partition, log_offset, occurred_at, happened_at, is_skewed, target_kind, target_id,
        author_kind, author_id, voter, sequence, native_id, import_id, import_row, repaired
{% endmacro %}

{# First to last: by when it was said, the producer's count, arrival, and where arrival is the same by the place in the log.
   Versions of one thing share a key, hence a partition: its offsets are the order in which they were written. #}
{% macro first_to_last() %}order by happened_at, sequence nulls first, received_at, log_partition, log_offset, event_key{% endmacro %}

{% macro last_to_first() %}order by happened_at desc, sequence desc nulls last, received_at desc, log_partition desc, log_offset desc, event_key desc{% endmacro %}

{# The votes that supersede each other. #}
{% macro of_one_voter() %}partition by target_kind, target_id, kind, metric_key, source, voter{% endmacro %}

{# Whether a score is a bad one; null where that can't be said: skipped, a category, a number without a scale. #}
{% macro score_is_negative() %}
        case
            when status <> 'scored' or value is null then null
            when data_type = 'boolean' then (value = 0) = (better = 'higher')
            when data_type = 'numeric' and scale_max > scale_min then
                case better
                    when 'lower' then value > (scale_min + scale_max) / 2
                    else value < (scale_min + scale_max) / 2
                end
        end
{% endmacro %}

{# A score as a share of its scale, 0 the worst end and 1 the best; null where it has no scale. #}
{% macro score_level() %}
        case
            when status <> 'scored' or value is null then null
            when data_type = 'boolean' then case when (value = 0) = (better = 'higher') then 0.0 else 1.0 end
            when data_type = 'numeric' and scale_max > scale_min then
                case better
                    when 'lower' then (scale_max - value) / (scale_max - scale_min)
                    else (value - scale_min) / (scale_max - scale_min)
                end
        end
{% endmacro %}

{# When a vote counts as given for its weight: see int_vote_moments. #}
{% macro vote_moment(votes) %}case when {{ votes }}.import_id is null then {{ votes }}.received_at when not {{ votes }}.is_skewed then {{ votes }}.occurred_at end{% endmacro %}

{% macro vote_days(votes) %}{{ utc_day(votes ~ '.happened_at') }} as day, {{ utc_day('(' ~ vote_moment(votes) ~ ')') }} as moment_day{% endmacro %}

{# Thumbs and scores that are votes, as they were given, those for which `condition` holds of `landed`. #}
{% macro given_votes(condition) %}
    select
        {{ vote_columns() }},
        target_hash,
        voter_hash,
        thumb,
        cast(null as double) as value,
        cast(null as varchar) as label,
        cast(null as varchar) as status,
        coalesce(thumb, 'cleared') as said,
        is_negative,
        level
    from {{ ref('stg_feedback__thumbs') }} as landed
    where {{ condition }}

    union all

    select
        {{ vote_columns() }},
        target_hash,
        voter_hash,
        cast(null as varchar) as thumb,
        value,
        label,
        status,
        concat_ws('|', status, coalesce(cast(value as varchar), 'none'), 'label:' || label) as said,
        is_negative,
        level
    from {{ ref('stg_feedback__scores') }} as landed
    where {{ condition }}
        and not {{ is_own_judgement() }} and not {{ is_report_verdict() }}
{% endmacro %}

{# The same with what has become of them. #}
{% macro votes(condition) %}
    select given.*, made.updated_at, made.is_current, made.is_repeat, made.weighs, made.author_hash, made.day
    from ({{ given_votes(condition) }}) as given
    inner join {{ ref('int_votes') }} as made
        on given.log_partition = made.log_partition and given.log_offset = made.log_offset
{% endmacro %}
