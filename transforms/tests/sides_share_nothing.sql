-- No conversation and no near-duplicate text is evidence for both an eval and a training run.
with training as (
    select distinct samples.conversation_id, texts.text_hash
    from {{ ref('sync_spec_samples') }} as samples
    inner join {{ ref('int_texts') }} as texts on md5(samples.text) = texts.text_key
    where samples.spec_key like 'train:%'
),

held_out as (
    select distinct samples.conversation_id, texts.text_hash
    from {{ ref('sync_spec_samples') }} as samples
    left join {{ ref('int_texts') }} as texts on md5(samples.text) = texts.text_key
    where samples.spec_key like 'eval:%'
),

near as (
    select ours.text_hash
    from (select distinct text_hash from training) as training
    inner join {{ ref('int_text_bands') }} as ours on training.text_hash = ours.text_hash
    inner join {{ ref('int_text_bands') }} as theirs on ours.band = theirs.band and ours.band_hash = theirs.band_hash
    inner join (select distinct text_hash from held_out) as held_out on theirs.text_hash = held_out.text_hash
    group by ours.text_hash, theirs.text_hash
    having count(*) >= {{ var('near_duplicate_bands') }}
)

select 'conversation' as shared, conversation_id as what
from training
where conversation_id in (select conversation_id from held_out)

union all

select 'text' as shared, text_hash as what
from near
