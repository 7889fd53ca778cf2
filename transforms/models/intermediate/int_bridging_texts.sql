-- Texts of the training side that stand, nearly word for word, on the eval side too: training loses them.
with sided as (
    select distinct side, text_hash
    from {{ ref('int_evidence') }}
    where side is not null
),

bands as (
    select sided.side, bands.text_hash, bands.band, bands.band_hash
    from {{ ref('int_text_bands') }} as bands
    inner join sided on bands.text_hash = sided.text_hash
),

near as (
    select training.text_hash
    from bands as training
    inner join bands as held_out
        on training.band = held_out.band and training.band_hash = held_out.band_hash
    where training.side = 'training' and held_out.side = 'eval'
    group by training.text_hash, held_out.text_hash
    having count(*) >= {{ var('near_duplicate_bands') }}
)

select distinct text_hash from near
