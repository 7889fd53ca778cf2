-- Days of votes that came, went, or count otherwise since the last build: by when they were given, and by their moment
-- (see int_vote_moments).
{{ config(materialized='incremental', incremental_strategy='append', pre_hook="{{ forget_all() }}") }}

with now as (
    select * from {{ ref('int_touched_votes') }} where weighs and is_made
),

before as (
    select * from {{ ref('int_touched_former') }} where weighs and is_made
),

changed as (
    select coalesce(now.day, before.day) as day, coalesce(now.moment_day, before.moment_day) as moment_day
    from now
    full outer join before on now.log_partition = before.log_partition and now.log_offset = before.log_offset
    where now.log_offset is null or before.log_offset is null
)

select 'given' as kind, day from changed where day is not null
union
select 'moment' as kind, moment_day as day from changed where moment_day is not null
