"""One checkpoint: what it is made from, what it scores, how it was trained, what users say of its answers."""

from typing import Any

from dashboards import words
from dashboards.chart import Chart
from dashboards.charts.losses import losses
from dashboards.listing import listing
from dashboards.page import Asked, NotThere, Page, Shown
from dashboards.table import Column, Row

ONE = "select * from dim_checkpoints where checkpoint_id = ?"

RESULTS = """
select spec_key, coalesce(modes.name, 'all feedback') as about, metric, value, low as interval_low,
  high as interval_high,
  scored, errored, completed_at
from fct_eval_results as results left join dim_failure_modes as modes on modes.mode_id = results.mode_id
where checkpoint_id = ?
"""

CURVES = """
select job_id as run, step, metric, value from fct_training_steps where metric like '%/loss' and job_id = ?
order by run, metric, step
"""

STEPS = (
    "select metric, step, value, is_provisional from fct_training_steps where job_id = ? and metric not like '%/loss'"
)

CHILDREN = "select checkpoint_id, method, registered_at from dim_checkpoints where base_checkpoint_id = ?"

MODES = """
select modes.name, weekly.mode_id, sum(weekly.feedback_count)::bigint as feedback_count,
  sum(weekly.negative_count)::bigint as negative_count,
  sum(weekly.feedback_count) * 1.0 / sum(weekly.week_feedback_count) as share
from fct_failure_mode_weekly as weekly join dim_failure_modes as modes using (mode_id)
where weekly.dimension = 'checkpoint' and weekly.subject = ? group by all
"""

RESULT_COLUMNS = (
    Column("spec_key", "eval"),
    Column("about", "about"),
    Column("metric", "metric"),
    Column("value", "value", "figure"),
    Column("interval", "95% interval", "interval"),
    Column("scored", "scored", "whole"),
    Column("errored", "errored", "whole"),
    Column("completed_at", "when", "moment"),
)

STEP_COLUMNS = (Column("metric", "metric"), Column("step", "step", "whole"), Column("value", "value", "figure"))

CHILD_COLUMNS = (
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("method", "method"),
    Column("registered_at", "registered", "moment"),
)

MODE_COLUMNS = (
    Column("name", "failure mode", link="/mode", link_by="mode_id"),
    Column("feedback_count", "comments", "whole"),
    Column("negative_count", "negative", "whole"),
    Column("share", "of what was said of its answers", "percent"),
)


def show(asked: Asked) -> Shown:
    """The checkpoint that the address names."""
    checkpoint_id = asked.address.text("id")
    found = asked.rows(ONE, checkpoint_id)
    if not found:
        raise NotThere(f"no checkpoint has the id {checkpoint_id!r}: the list of checkpoints has those there are")
    one = found[0]
    charts: list[Chart] = []
    if drawn := losses(asked.rows(CURVES, one["job_id"])):
        charts.append(drawn)
    tables = (
        listing(
            asked, "results", "Evals", RESULT_COLUMNS, RESULTS, [checkpoint_id], order="completed_at desc, spec_key",
            mart="fct_eval_results", empty="None yet.",
        ),
        listing(
            asked, "steps", "What else the run logged", STEP_COLUMNS, STEPS, [one["job_id"]], order="metric, step",
            mart="fct_training_steps", empty="Nothing: it was not trained here.",
        ),
        listing(
            asked, "modes", "What is said of its answers", MODE_COLUMNS, MODES, [checkpoint_id],
            order="feedback_count desc, mode_id", mart="fct_failure_mode_weekly",
            empty="Nothing that shows a failure mode.",
        ),
        listing(
            asked, "children", "Made from it", CHILD_COLUMNS, CHILDREN, [checkpoint_id],
            order="registered_at, checkpoint_id",
            mart="dim_checkpoints", empty="Nothing yet.",
        ),
    )  # fmt: skip
    return Shown(
        lead=_lead(one, tables[0].total or 0),
        title=checkpoint_id,
        tables=tables,
        charts=tuple(charts),
        facts={"one": one, "pairs": _pairs(one)},
    )


def _lead(one: Row, evals: int) -> str:
    how = f"was trained by {one['method']}" if one["job_id"] else f"was registered as {one['method']}"
    counts = "counts" if one["counts"] else "does not count yet: its job has not completed"
    return f"This {one['role']} {how} and {counts}; it has {words.count(evals, 'eval result')}."


def _pairs(one: Row) -> list[tuple[str, Any]]:
    return [
        (name, value)
        for name, value in (
            ("role", one["role"]), ("method", one["method"]), ("made from", one["base_checkpoint_id"]), ("spec",
            one["spec_id"]),
            ("job", one["job_id"]), ("set", (one["data_sha256"] or "")[:16]), ("digest",
            (one["artifact_sha256"] or "")[:16]),
            ("path", one["path"]), ("registered", words.moment(one["registered_at"])),
        )
        if value
    ]  # fmt: skip


PAGE = Page(
    name="checkpoint",
    path="/checkpoint",
    title="Checkpoint",
    question="What is it, and how good is it?",
    needs=("dim_checkpoints", "fct_eval_results", "fct_training_steps", "fct_failure_mode_weekly", "dim_failure_modes"),
    show=show,
    under="checkpoints",
)
