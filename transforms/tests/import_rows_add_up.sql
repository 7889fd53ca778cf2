-- Every row of a file was accepted, known, refused, or no feedback.
select *
from {{ ref('fct_import_accounts') }}
where rows <> rows_accepted + rows_duplicate + rows_refused + rows_without_feedback
