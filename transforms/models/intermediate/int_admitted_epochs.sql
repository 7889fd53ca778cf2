select job_id, status, epoch, up_to_step
from {{ admitted_epochs(ref('int_jobs')) }} as admitted
