-- Places in the log of what is made anew because of others: votes of touched voters, and what is written on touched targets.
{{ config(meta={'reads': ['feedback.thumb_given.v2', 'feedback.score_given.v1', 'feedback.comment_left.v1', 'feedback.report_filed.v1']}) }}
-- depends_on: {{ ref('base_feedback') }}, {{ ref('int_touched_voters') }}

select log_partition, log_offset
from {{ ref('base_feedback') }} as landed
where landed.type in ('feedback.thumb_given.v2', 'feedback.score_given.v1')
    and {{ only_touched('landed', 'int_touched_voters', ['voter_hash']) if is_incremental() else 'false' }}
union all
select log_partition, log_offset
from {{ ref('base_feedback') }} as landed
where landed.type in ('feedback.comment_left.v1', 'feedback.report_filed.v1')
    and {{ only_touched('landed', 'int_touched_voters', ['target_hash']) if is_incremental() else 'false' }}
