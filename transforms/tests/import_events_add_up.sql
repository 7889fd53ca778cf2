-- Every event of an import was accepted, a copy, or quarantined. A warning, since a sink that is still at work may have
-- landed the account before the events.
{{ config(severity='warn') }}

select *
from {{ ref('fct_import_accounts') }}
where events <> events_accepted + events_duplicate + events_quarantined
