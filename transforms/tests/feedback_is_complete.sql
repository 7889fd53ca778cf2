-- Every feedback event that landed is in fct_feedback or fct_preferences, in quarantine, an identical copy, erased, or of an
-- import that was corrected.
with counted as (
    select
        (select count(*) from {{ ref('base_feedback') }} where erased is null) as landed,
        (select count(*) from {{ ref('fct_feedback') }}) as accepted,
        (select count(*) from {{ ref('fct_preferences') }}) as preferences,
        (
            select count(*)
            from {{ ref('base_feedback') }} as landed
            where erased is null
                and import_id in (select corrects from {{ ref('base_imports') }})
                and not exists (
                    select 1
                    from {{ ref('base_copies') }} as copies
                    where copies.topic = 'feedback'
                        and copies.log_partition = landed.log_partition
                        and copies.log_offset = landed.log_offset
                )
        ) as corrected,
        (select count(*) from {{ ref('stg_quarantine') }} where topic = 'feedback') as quarantined,
        (select count(*) from {{ ref('base_copies') }} where topic = 'feedback' and is_identical) as copies
)

select * from counted where landed <> accepted + preferences + corrected + quarantined + copies
