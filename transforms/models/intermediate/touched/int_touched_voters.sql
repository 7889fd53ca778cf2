-- Who gave feedback since the last build, and on what: a voter by the author alone, and a target by its id, both as numbers,
-- which may touch more than it must but never less.
{{ config(meta={'reads': ['feedback.thumb_given.v2', 'feedback.score_given.v1', 'feedback.comment_left.v1', 'feedback.report_filed.v1']}) }}
-- depends_on: {{ ref('base_feedback') }}, {{ ref('base_copies') }}, {{ ref('int_touched_events') }}

select distinct voter_hash, target_hash
from {{ ref('base_feedback') }} as landed
where error is null and type <> 'feedback.preference_given.v1'
    {{ of_touched_event('landed', 'feedback') if is_incremental() else 'and false' }}
