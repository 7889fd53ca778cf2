-- Every feedback event that landed is in fct_feedback, in quarantine, an identical copy, or erased.
with counted as (
    select
        (select count(*) from {{ ref('base_feedback') }} where erased is null) as landed,
        (select count(*) from {{ ref('fct_feedback') }}) as accepted,
        (select count(*) from {{ ref('stg_quarantine') }} where topic = 'feedback') as quarantined,
        (select count(*) from {{ ref('base_copies') }} where topic = 'feedback' and is_identical) as copies
)

select * from counted where landed <> accepted + quarantined + copies
