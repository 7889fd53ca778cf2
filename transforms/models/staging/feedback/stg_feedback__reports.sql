select
    {{ feedback_columns('report') }},
    given.kind as report_kind,
    text,
    rating,
    scale_min,
    scale_max,
    link,
    rule,
    rule_version,
    steps,
    response_id
from {{ events('feedback', 'feedback.report_filed.v1', 'base_feedback_details') }} as given
