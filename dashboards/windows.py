"""Which days trends are drawn over, and the trends themselves: of comments, which are few beside votes."""

WINDOW = """
select
  coalesce(min(day) filter (where is_dated), min(day)) as first,
  coalesce(max(day) filter (where is_dated), max(day)) as last
from (
  select day, is_dated, percent_rank() over (partition by is_dated order by happened_at) as rank
  from int_mode_cells where text_hash is not null
)
where rank between 0.01 and 0.99
"""
"""The days of nearly all comments whose time is known: a few far off would press every trend to the edge."""

DAYS = """
select mode_id, day, sum(feedback_count)::bigint as feedback_count, sum(negative_count)::bigint as negative_count
from fct_failure_mode_daily group by mode_id, day order by mode_id, day
"""
