-- How often a mode is said in the newest 7 days with feedback and in the 28 before them, overall and by subject. A voice is an
-- author on a day, however often he wrote on it: nobody makes a trend alone, and windows of unlike length compare.
{{ config(materialized='view') }}

with newest as (
    select coalesce(max(day) filter (where is_dated), max(day)) as last_day
    from {{ ref('int_mode_cells') }}
    where not is_automated
),

-- What was imported without a date was said at any time.
placed as (
    select
        cells.*,
        cells.author_key || '|' || cells.day as voice,
        cells.day > newest.last_day - 7 as is_recent
    from {{ ref('int_mode_cells') }} as cells
    inner join newest on cells.day > newest.last_day - 35 and cells.day <= newest.last_day
    where not cells.is_automated and (cells.is_dated or not cells.is_imported)
),

voices as (
    {% for dimension, subject in cell_dimensions() %}
    select '{{ dimension }}' as dimension, {{ subject }} as subject, event_key, voice, author_key, is_recent
    from placed
    where {{ subject }} is not null
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

totals as (
    select
        dimension,
        subject,
        count(distinct voice) filter (where is_recent) as recent_total,
        count(distinct voice) filter (where not is_recent) as before_total
    from voices
    group by dimension, subject
),

seen as (
    select
        modes.mode_id,
        voices.dimension,
        voices.subject,
        count(distinct voices.voice) filter (where voices.is_recent) as recent_count,
        count(distinct voices.voice) filter (where not voices.is_recent) as before_count,
        count(distinct voices.author_key) filter (where voices.is_recent) as recent_author_count,
        count(*) filter (where voices.is_recent) as recent_feedback_count
    from voices
    inner join {{ ref('fct_feedback_modes') }} as modes on voices.event_key = modes.event_key
    group by modes.mode_id, voices.dimension, voices.subject
),

counted as (
    select
        seen.*,
        totals.recent_total,
        totals.before_total,
        everyone.recent_count as all_recent_count,
        everyone.before_count as all_before_count,
        all_totals.recent_total as all_recent_total,
        all_totals.before_total as all_before_total,
        -- A checkpoint that came this week has no weeks before: what it replaced is what it is compared with.
        seen.dimension in ('checkpoint', 'variant') and totals.before_total < totals.recent_total as is_new
    from seen
    inner join totals on seen.dimension = totals.dimension and seen.subject = totals.subject
    inner join seen as everyone on seen.mode_id = everyone.mode_id and everyone.dimension = 'all'
    inner join totals as all_totals on all_totals.dimension = 'all'
)

select
    counted.mode_id,
    counted.dimension,
    counted.subject,
    case when counted.is_new then 'all' else 'own' end as baseline,
    newest.last_day - 6 as window_start,
    newest.last_day as window_end,
    counted.recent_count,
    counted.recent_total,
    case when counted.is_new then counted.all_before_count else counted.before_count end as before_count,
    case when counted.is_new then counted.all_before_total else counted.before_total end as before_total,
    counted.recent_author_count,
    counted.recent_feedback_count,
    -- All but this subject; an author who met both is in both, hence the floor.
    greatest(0, counted.all_recent_count - counted.recent_count) as elsewhere_recent_count,
    greatest(0, counted.all_recent_total - counted.recent_total) as elsewhere_recent_total,
    greatest(0, counted.all_before_count - counted.before_count) as elsewhere_before_count,
    greatest(0, counted.all_before_total - counted.before_total) as elsewhere_before_total
from counted
cross join newest
