-- What asks for an eval of a behaviour: eval-side texts that show the mode most clearly, and are not known to be content. No
-- label is needed, since the samples are generated: a text only says that users miss something.
select evidence.any_mode_id as mode_id, evidence.event_key, cells.complaint_key, cells.author_key
from {{ ref('int_evidence') }} as evidence
inner join {{ ref('int_mode_cells') }} as cells on evidence.event_key = cells.event_key
where evidence.side = 'eval'
    and evidence.is_negative is distinct from false
    and evidence.any_mode_id in (select mode_id from {{ ref('mode_behaviours') }})
    and evidence.text_hash not in (select text_hash from {{ ref('int_bridging_texts') }} where lost_by = 'eval')
