-- No import has landed more than it says it wrote. Less is no fault: the sink may have landed the account of an import
-- before its events, and then `fct_import_accounts.events_awaited` says how many are still to come. A record that was sent
-- twice counts once.
{% set topics = topics() %}

with landed as (
    {% for topic in topics %}
    select distinct '{{ topic }}' as topic, import_id, source, event_id, content_hash
    from {{ ref('base_' ~ topic) }}
    where error is null and erased is null and import_id is not null
    {% if topic == 'imports' %}
        and import_id <> file_import_id
    {% endif %}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

counted as (
    select import_id, count(*) as events from landed group by import_id
)

select accounts.file_import_id, accounts.events, counted.events as landed
from {{ ref('fct_import_accounts') }} as accounts
inner join counted on accounts.file_import_id = counted.import_id
where counted.events > accounts.events
