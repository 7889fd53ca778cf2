"""The page: rows out of the marts into one template."""

from datetime import datetime
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from dashboards.windows import WINDOW
from flywheel.report import charts
from ingest.home import Home
from ingest.reader import Ask, reading
from text.normal_form import preview

TOP_MODES = 12
EXAMPLES = "select text, event_id from fct_failure_mode_examples where mode_id = ? and rank <= 3 order by rank"

Row = dict[str, Any]


def page(home: Home) -> str:
    """The report on the published build of `home`, as HTML."""
    environment = Environment(loader=PackageLoader("flywheel", "report"), autoescape=select_autoescape())
    environment.filters.update(FILTERS)
    with reading(home) as ask:
        seen = rows_of(ask, "select count(*) as modes from dim_failure_modes where feedback_count > 0")[0]["modes"]
        return environment.get_template("template.html").render(
            build=rows_of(ask, "select * from flywheel_build")[0],
            stages=_stages(ask),
            modes=_modes(ask),
            hidden=seen - TOP_MODES,
            specs=rows_of(ask, SPECS),
            waiting=rows_of(ask, WAITING),
            results=rows_of(ask, RESULTS),
            results_chart=Markup(charts.results(rows_of(ask, RESULTS_CHART))),
            runs=rows_of(ask, "select * from fct_training_runs order by job_id"),
            curves=Markup(charts.curves(rows_of(ask, CURVES))),
            imports=rows_of(ask, "select * from fct_import_accounts order by file_name"),
        )


def stages(home: Home) -> list[tuple[str, int, str]]:
    """(what, how many, where in SQL) of each stage of the loop, in its order."""
    with reading(home) as ask:
        return _stages(ask)


def _stages(ask: Ask) -> list[tuple[str, int, str]]:
    row = rows_of(ask, STAGES)[0]
    return [(name, int(row[column]), mart) for name, column, mart in STAGE_NAMES]


STAGE_NAMES = (
    ("feedback", "feedback", "fct_feedback"),
    ("quarantined", "quarantined", "stg_quarantine"),
    ("rollouts", "rollouts", "fct_rollouts"),
    ("reports by rules", "automated", "fct_automated_reports"),
    ("failure modes seen", "modes", "dim_failure_modes"),
    ("of them discovered", "discovered", "dim_failure_modes"),
    ("specs issued", "specs", "fct_specs"),
    ("jobs completed", "completed", "fct_jobs"),
    ("jobs waiting or failed", "open", "fct_jobs"),
    ("eval results", "results", "fct_eval_results"),
    ("training runs", "runs", "fct_training_runs"),
    ("feedback judged by our own judge", "judged", "fct_feedback"),
)

STAGES = """
select
  (select count(*) from fct_feedback) as feedback,
  (select count(*) from stg_quarantine where corrected_by is null) as quarantined,
  (select count(*) from fct_rollouts) as rollouts,
  (select count(*) from fct_automated_reports) as automated,
  (select count(*) from dim_failure_modes where feedback_count > 0) as modes,
  (select count(*) from dim_failure_modes where origin = 'discovered') as discovered,
  (select count(*) from fct_specs) as specs,
  (select count(*) from fct_jobs where status = 'completed') as completed,
  (select count(*) from fct_jobs where status <> 'completed') as open,
  (select count(*) from fct_eval_results) as results,
  (select count(*) from fct_training_runs where status = 'completed') as runs,
  (select count(*) from fct_feedback where judged_negative is not null) as judged
"""

MODES = f"""
select * from dim_failure_modes where feedback_count > 0
order by negative_count desc, feedback_count desc, mode_id limit {TOP_MODES}
"""

DAYS = """
select day, sum(feedback_count)::bigint as feedback_count, sum(negative_count)::bigint as negative_count
from fct_failure_mode_daily where mode_id = ? group by day order by day
"""

SPECS = """
select s.*, coalesce(m.name, 'all feedback') as about,
  count(j.job_id) filter (where j.status = 'completed') as done, count(j.job_id) as jobs
from fct_specs as s
left join fct_jobs as j on j.spec_id = s.spec_id
left join dim_failure_modes as m on m.mode_id = s.mode_id
group by all order by s.samples desc, s.spec_key, s.revision
"""

WAITING = """
select spec_key, samples, reason from sync_eval_specs where not ready
union all select spec_key, samples, reason from sync_training_specs where not ready
order by samples desc, spec_key
"""

RESULTS = """
select r.*, coalesce(m.name, 'all feedback') as about
from fct_eval_results as r left join dim_failure_modes as m on m.mode_id = r.mode_id
order by r.samples desc, r.spec_key, r.completed_at, r.checkpoint_id
"""

RESULTS_CHART = """
select coalesce(m.name, 'all feedback') || ' (' || regexp_extract(r.spec_key, '[a-z]+$') || ')' as eval,
  r.checkpoint_id as checkpoint, r.value, r.low, r.high
from fct_eval_results as r join fct_specs as s on s.spec_id = r.spec_id and s.is_latest
left join dim_failure_modes as m on m.mode_id = r.mode_id
where r.value is not null and r.spec_key in (
  select spec_key from fct_specs where kind = 'eval' and is_latest order by samples desc, spec_key limit 20
)
order by r.samples desc, r.spec_key, r.checkpoint_id
"""

CURVES = """
select s.job_id as run, s.step, s.metric, s.value
from fct_training_steps as s where s.metric like '%/loss' order by run, metric, step
"""


def _modes(ask: Ask) -> list[Row]:
    modes = rows_of(ask, MODES)
    window = rows_of(ask, WINDOW)[0]
    for mode in modes:
        mode["examples"] = rows_of(ask, EXAMPLES, [mode["mode_id"]])
        days = rows_of(ask, DAYS, [mode["mode_id"]])
        mode["trend"] = Markup(charts.trend(days, (window["first"], window["last"])))
    return modes


def rows_of(ask: Ask, statement: str, parameters: tuple[Any, ...] | list[Any] = ()) -> list[Row]:
    """The rows of `statement`, each by its columns' names."""
    found = ask(statement, parameters)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def _moment(moment: datetime | None) -> str:
    return moment.strftime("%d %b %Y, %H:%M UTC") if moment else "never"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.3f}"


def _whole(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


FILTERS: dict[str, Any] = {"moment": _moment, "figure": _figure, "whole": _whole, "preview": preview}
"""How templates write what is no text."""
