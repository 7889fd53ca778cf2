{{ config(meta={'reads': ['erased']}) }}
{% set topics = topics() %}

with taken as (
    {% for topic in topics %}
    select erased as event_key, count(*) as events
    from {{ ref('base_' ~ topic) }}
    where erased is not null
    group by erased
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

counted as (
    select event_key, cast(sum(events) as bigint) as events from taken group by event_key
),

-- A log may have several homes, each of which carries a request out by itself.
completed as (
    select
        request_id,
        person_id,
        count(*) as homes,
        min(received_at) as completed_at,
        min_by(files, received_at) as files,
        min_by(certificate, received_at) as certificate
    from {{ ref('stg_privacy__completed') }}
    group by request_id, person_id
)

select
    requests.event_key,
    requests.person_id,
    requests.requested_by,
    requests.received_at as requested_at,
    case when completed.request_id is null then 'pending' else 'completed' end as status,
    coalesce(counted.events, 0) as events,
    completed.completed_at,
    completed.files,
    completed.certificate,
    coalesce(completed.homes, 0) as homes
from {{ ref('stg_privacy__requests') }} as requests
left join counted on requests.event_key = counted.event_key
left join completed on requests.event_id = completed.request_id and requests.person_id = completed.person_id
