{# The text hashes of `texts` that stand, nearly word for word or exactly, in `others`: both relations of `text_hash`. #}
{% macro near_texts(texts, others) %}
(
    select distinct text_hash
    from (
        select ours.text_hash, theirs.text_hash as other_hash
        from (select distinct text_hash from {{ texts }}) as asked
        inner join {{ ref('int_text_bands') }} as ours on asked.text_hash = ours.text_hash
        inner join {{ ref('int_text_bands') }} as theirs on ours.band = theirs.band and ours.band_hash = theirs.band_hash
        inner join (select distinct text_hash from {{ others }}) as other on theirs.text_hash = other.text_hash
        group by ours.text_hash, theirs.text_hash
        having count(*) >= {{ var('near_duplicate_bands') }}
    ) as pairs
)
{% endmacro %}
