select event_key, received_at, spec_id, checkpoint_id, job_id, epoch, sample_id, scorer, status, score, answer, explanation
from {{ events('results', 'result.eval_sample_scored.v1') }} as scored
