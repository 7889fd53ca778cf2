"""One failure mode: how large it is, on which checkpoints, what shows it, and what was done about it."""

from typing import Any

from dashboards import words
from dashboards.chart import Chart
from dashboards.charts.by_checkpoint import trend_by_checkpoint
from dashboards.charts.days import days_of_mode
from dashboards.listing import listing
from dashboards.page import Asked, NotThere, Page, Shown
from dashboards.table import Column, Row
from dashboards.windows import DAYS, WINDOW

ONE = """
select modes.*, impact.negative_share, impact.negative_share_low, impact.negative_share_high, impact.with_voted,
  impact.with_up_rate, impact.other_up_rate, impact.other_difference_low, impact.other_difference_high
from dim_failure_modes as modes join fct_failure_mode_impact as impact using (mode_id) where mode_id = ?
"""

WEEKS = """
select week, subject, feedback_count, week_feedback_count, rate, rate_low, rate_high from fct_failure_mode_weekly
where mode_id = ? and dimension = ? order by week, subject
"""

EXAMPLES = """
select rank, text, confidence, event_key from fct_failure_mode_examples where mode_id = ? order by rank limit 8
"""

SPECS = """
select spec_key, specs.spec_id, revision, specs.kind, samples, issued_at,
  case when retired_at is not null then 'retired' when is_latest then 'live' else 'superseded' end as state,
  count(jobs.job_id) filter (where jobs.status = 'completed') as done, count(jobs.job_id) as jobs
from fct_specs as specs left join fct_jobs as jobs on jobs.spec_id = specs.spec_id
where specs.mode_id = ? or specs.spec_key like 'train:' || ? || ':%'
group by all
"""

RESULTS = """
select spec_key, checkpoint_id, metric, value, low as interval_low, high as interval_high, scored, completed_at
from fct_eval_results where mode_id = ?
"""

RUNS = """
select runs.job_id, specs.spec_key, runs.method, runs.status, runs.checkpoint_id, runs.metric, runs.value,
  jobs.updated_at
from fct_training_runs as runs join fct_specs as specs using (spec_id) join fct_jobs as jobs using (job_id)
where jobs.updated_at >= (select min(issued_at) from fct_specs where mode_id = ?)
"""

SPEC_COLUMNS = (
    Column("spec_key", "spec"),
    Column("revision", "revision", "whole"),
    Column("kind", "kind"),
    Column("state", "state", "state"),
    Column("samples", "samples", "whole"),
    Column("done", "jobs done", "whole"),
    Column("jobs", "of", "whole"),
    Column("issued_at", "issued", "moment"),
)

RESULT_COLUMNS = (
    Column("spec_key", "eval"),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("metric", "metric"),
    Column("value", "value", "figure"),
    Column("interval", "95% interval", "interval"),
    Column("scored", "scored", "whole"),
    Column("completed_at", "when", "moment"),
)

RUN_COLUMNS = (
    Column("spec_key", "training"),
    Column("method", "method"),
    Column("status", "status", "state"),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("metric", "metric"),
    Column("value", "value", "figure"),
    Column("updated_at", "when", "moment"),
)


def show(asked: Asked) -> Shown:
    """The mode that the address names."""
    mode_id = asked.address.text("id")
    found = asked.rows(ONE, mode_id)
    if not found:
        raise NotThere(f"no failure mode has the id {mode_id!r}: the list of failure modes has those there are")
    mode = found[0]
    charts: list[Chart] = []
    weeks, by = asked.rows(WEEKS, mode_id, "checkpoint"), "checkpoint"
    if not weeks:
        weeks, by = asked.rows(WEEKS, mode_id, "all"), "everything"
    edges = asked.row(WINDOW)
    window = (edges["first"], edges["last"])
    if trend := trend_by_checkpoint(weeks, mode["name"], window, by):
        charts.append(trend)
    mine = [row for row in asked.rows(DAYS) if row["mode_id"] == mode_id]
    if days := days_of_mode(mine, window):
        charts.append(days)
    tables = (
        listing(
            asked, "specs", "Specs born of it", SPEC_COLUMNS, SPECS, [mode_id, mode_id],
            order="issued_at desc, spec_key",
            mart="fct_specs", empty=f"None yet: {mode['eval_reason']}.",
        ),
        listing(
            asked, "results", "Evals since", RESULT_COLUMNS, RESULTS, [mode_id],
            order="completed_at desc, checkpoint_id",
            mart="fct_eval_results", empty="None yet.",
        ),
        listing(
            asked, "runs", "Training runs since its first spec", RUN_COLUMNS, RUNS, [mode_id],
            order="updated_at desc, job_id",
            mart="fct_training_runs", empty="None yet.",
        ),
    )  # fmt: skip
    examples = asked.rows(EXAMPLES, mode_id) if asked.reads_words else []
    return Shown(
        lead=_lead(mode),
        title=mode["name"],
        tables=tables,
        charts=tuple(charts),
        facts={"mode": mode, "examples": examples, "pairs": _pairs(mode)},
    )


def _lead(mode: Row) -> str:
    if not mode["feedback_count"]:
        return "Nobody has said so yet."
    share = "" if mode["negative_share"] is None else (
        f", {words.percent(mode['negative_share'])} of all negative feedback "
        f"({words.percent(mode['negative_share_low'])} to {words.percent(mode['negative_share_high'])})"
    )  # fmt: skip
    return (
        f"{words.count(mode['feedback_count'], 'comment')} by {words.count(mode['author_count'], 'author')} show it, "
        f"{mode['negative_count']:,} of them negative{share}."
    )


def _pairs(mode: Row) -> list[tuple[str, Any]]:
    status = mode["status"] if mode["status"] == mode["origin"] else f"{mode['status']}, {mode['origin']}"
    liked = (
        ""
        if mode["with_up_rate"] is None
        else f"{words.percent(mode['with_up_rate'])} of {words.whole(mode['with_voted'])} with thumbs"
    )
    return [
        (name, value)
        for name, value in (
            ("status", status), ("group", mode["parent"]), ("owner", mode["owner"]), ("merged into",
            mode["merged_into"]),
            ("distinct complaints", words.whole(mode["complaint_count"])), ("answers with it are liked", liked),
            ("first seen", words.moment(mode["first_seen"])), ("last seen", words.moment(mode["last_seen"])),
            ("terms", mode["terms"]), ("id", mode["mode_id"]),
        )
        if value
    ]  # fmt: skip


PAGE = Page(
    name="mode",
    path="/mode",
    title="Failure mode",
    question="How large is it, on which checkpoints, and what was done about it?",
    needs=(
        "dim_failure_modes", "fct_failure_mode_impact", "fct_failure_mode_weekly", "fct_failure_mode_daily",
        "fct_failure_mode_examples", "fct_specs", "fct_jobs", "fct_eval_results", "fct_training_runs",
    ),
    show=show,
    under="modes",
    live_s=15,
)  # fmt: skip
