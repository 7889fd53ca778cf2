-- Pairs that a judge compared in both orders: whether it kept its answer, and whether it kept to a place instead.
{{ config(meta=of_judges()) }}
with placed as (
    select
        *,
        row_number() over (
            partition by source, author_kind, author_id, judge_version, metric_key, pair_key, is_sorted {{ last_to_first() }}
        ) as place
    from {{ ref('int_judge_pairs') }}
)

select
    one.author_id as judge_id,
    one.judge_version,
    one.metric_key as metric,
    one.source,
    one.pair_key,
    one.preferred_key = other.preferred_key as is_kept,
    one.choice <> 'tie' and one.choice = other.choice as is_by_place
from placed as one
inner join placed as other
    on one.source = other.source
    and one.author_kind = other.author_kind
    and one.author_id = other.author_id
    and one.judge_version = other.judge_version
    and one.metric_key = other.metric_key
    and one.pair_key = other.pair_key
where one.place = 1 and other.place = 1 and one.is_sorted and not other.is_sorted
