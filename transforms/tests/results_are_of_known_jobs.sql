-- What a mart shows of a job, its job is known to have admitted.
select job_id from {{ ref('fct_eval_samples') }} where job_id not in (select job_id from {{ ref('fct_jobs') }})
union all
select job_id from {{ ref('fct_training_steps') }} where job_id not in (select job_id from {{ ref('fct_jobs') }})
union all
select job_id
from {{ ref('fct_eval_results') }}
where job_id not in (select job_id from {{ ref('fct_jobs') }} where status = 'completed')
