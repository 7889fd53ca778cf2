select event_key, received_at, spec_id, job_id, epoch, step, metric, value
from {{ events('results', 'result.training_step_logged.v1') }} as logged
