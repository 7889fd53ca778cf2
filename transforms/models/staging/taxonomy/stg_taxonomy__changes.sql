-- Whole, as JSON: one fold in Python reads them, here and in the commands.
{% set changes = [
    'taxonomy.mode_proposed.v1',
    'taxonomy.mode_accepted.v1',
    'taxonomy.mode_rejected.v1',
    'taxonomy.mode_defined.v1',
    'taxonomy.mode_renamed.v1',
    'taxonomy.mode_merged.v1',
    'taxonomy.mode_split.v1',
    'taxonomy.mode_retired.v1',
    'taxonomy.merge_proposed.v1',
    'taxonomy.split_proposed.v1',
    'taxonomy.proposal_rejected.v1',
] %}

{% for type in changes %}
select event_key, received_at, log_offset, type, canonical
from {{ events('taxonomy', type) }} as changed
{% if not loop.last %}union all{% endif %}
{% endfor %}
