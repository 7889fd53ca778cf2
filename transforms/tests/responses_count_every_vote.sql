-- The thumbs on responses are the current thumbs whose target is one response.
with counted as (
    select
        (select sum(thumbs_up + thumbs_down + thumbs_cleared) from {{ ref('fct_responses') }}) as on_responses,
        (
            select count(*)
            from {{ ref('fct_feedback') }}
            where kind = 'thumb' and is_current and response_id is not null
        ) as given
)

select * from counted where coalesce(on_responses, 0) <> given
