"""All checkpoints: which count, what they score, and what training made them."""

from dashboards import words
from dashboards.chart import Chart
from dashboards.charts.scores import scores
from dashboards.listing import listing
from dashboards.page import Asked, Page, Shown
from dashboards.table import Column

CHECKPOINTS = """
select checkpoints.checkpoint_id, role, method, case when counts then 'counts' else 'provisional' end as state,
  standing, base_checkpoint_id, count(results.job_id) as evals, registered_at
from dim_checkpoints as checkpoints left join fct_eval_results as results using (checkpoint_id)
group by all
"""

RESULTS = """
select spec_key, coalesce(modes.name, 'all feedback') as about, checkpoint_id, metric, value, low as interval_low,
  high as interval_high, scored, results.samples, errored, completed_at
from fct_eval_results as results left join dim_failure_modes as modes on modes.mode_id = results.mode_id
"""

DRAWN = """
select coalesce(m.name, 'all feedback') || ' (' || regexp_extract(r.spec_key, '[a-z]+$') || ')' as eval,
  r.checkpoint_id as checkpoint, r.value, r.low, r.high
from fct_eval_results as r join fct_specs as s on s.spec_id = r.spec_id and s.is_latest
left join dim_failure_modes as m on m.mode_id = r.mode_id
where r.value is not null and r.spec_key in (
  select spec_key from fct_specs where kind = 'eval' and is_latest order by samples desc, spec_key limit 12
)
order by r.samples desc, r.spec_key, r.checkpoint_id
"""

RUNS = """
select runs.job_id, specs.spec_key, runs.method, runs.status, runs.checkpoint_id, runs.metric, runs.value,
  runs.train_rows,
  runs.seconds, jobs.updated_at
from fct_training_runs as runs left join fct_specs as specs using (spec_id) left join fct_jobs as jobs using (job_id)
"""

COLUMNS = (
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("role", "role"),
    Column("method", "method"),
    Column("state", "state", "state", hint="A checkpoint counts once its job has completed."),
    Column("standing", "stands", "state", hint="What flywheel checkpoints promote decided about it last."),
    Column("base_checkpoint_id", "made from", link="/checkpoint"),
    Column("evals", "evals", "whole"),
    Column("registered_at", "registered", "moment"),
)

RESULT_COLUMNS = (
    Column("spec_key", "eval"),
    Column("about", "about"),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("metric", "metric"),
    Column("value", "value", "figure"),
    Column("interval", "95% interval", "interval"),
    Column("scored", "scored", "whole"),
    Column("errored", "errored", "whole"),
    Column("completed_at", "when", "moment"),
)

RUN_COLUMNS = (
    Column("spec_key", "training"),
    Column("method", "method"),
    Column("status", "status", "state"),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("metric", "metric"),
    Column("value", "value", "figure"),
    Column("train_rows", "trained on", "whole"),
    Column("seconds", "took", "seconds"),
    Column("updated_at", "when", "moment"),
)

COUNTS = """
select count(*) filter (where counts) as counted, count(*) filter (where counts and job_id is not null) as trained,
  (select count(*) from fct_eval_results) as results, (select count(distinct spec_key) from fct_eval_results) as evals
from dim_checkpoints
"""


def show(asked: Asked) -> Shown:
    """The checkpoints, their results, and the runs."""
    counts = asked.row(COUNTS)
    results = listing(
        asked, "results", "Eval results, newest first", RESULT_COLUMNS, RESULTS,
        order="completed_at desc, spec_key, checkpoint_id", mart="fct_eval_results",
        empty="None yet: flywheel evals serve works what is queued.",
    )  # fmt: skip
    drawn = scores(asked.rows(DRAWN), results)
    tables = (
        listing(
            asked, "checkpoints", "Checkpoints, newest first", COLUMNS, CHECKPOINTS,
            order="registered_at desc, checkpoint_id", mart="dim_checkpoints",
        ),
        results,
        listing(
            asked, "runs", "Training runs, newest first", RUN_COLUMNS, RUNS, order="updated_at desc, job_id",
            mart="fct_training_runs", empty="None yet: flywheel training serve works what is queued.",
        ),
    )  # fmt: skip
    lead = (
        f"{words.count(counts['counted'], 'checkpoint')} {'counts' if counts['counted'] == 1 else 'count'}, "
        f"{counts['trained']:,} of them trained here; "
        f"{words.count(counts['results'], 'result')} on {words.count(counts['evals'], 'eval')}."
    )
    return Shown(lead=lead, tables=tables, charts=tuple(list[Chart]([drawn]) if drawn else ()))


PAGE = Page(
    name="checkpoints",
    path="/checkpoints",
    title="Checkpoints",
    question="Which checkpoints are there, and how good are they?",
    needs=("dim_checkpoints", "fct_eval_results", "fct_training_runs", "fct_specs", "fct_jobs", "dim_failure_modes"),
    show=show,
)
