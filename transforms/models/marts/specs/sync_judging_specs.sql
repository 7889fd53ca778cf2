with counted as (
    select spec_key, count(*) as samples
    from {{ ref('sync_spec_samples') }}
    group by spec_key
)

select
    'judge:' || judges.checkpoint_id as spec_key,
    judges.checkpoint_id,
    'judge/negative' as metric,
    coalesce(counted.samples, 0) as samples,
    coalesce(counted.samples, 0) > 0 as ready,
    case when coalesce(counted.samples, 0) > 0 then 'ready' else 'every text without a vote is judged' end as reason
from {{ ref('int_best_judge') }} as judges
left join counted on 'judge:' || judges.checkpoint_id = counted.spec_key
