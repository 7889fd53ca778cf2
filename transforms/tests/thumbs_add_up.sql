-- Current up, down and cleared thumbs are as many as there are voters on something.
with counted as (
    select
        count(*) filter (where is_current and thumb = 'up')
        + count(*) filter (where is_current and thumb = 'down')
        + count(*) filter (where is_current and thumb is null) as current_thumbs,
        count(distinct concat_ws('|', target_kind, target_id, metric_key, source, voter)) as voters
    from {{ ref('fct_feedback') }}
    where kind = 'thumb'
)

select * from counted where current_thumbs <> voters
