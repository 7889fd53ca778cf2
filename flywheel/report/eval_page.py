"""The page of one eval: its metric, what has no score and why, and each sample down to what the checkpoint did in it.

Everything that models and people wrote is escaped by the template; charts are drawn from numbers and names alone.
"""

import json
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from flywheel.report import charts
from flywheel.report.page import FILTERS, Row, rows_of
from ingest.home import Home
from ingest.jobs.samples import Sample, read_samples
from ingest.reader import Ask, reading
from models.errors import TerminalError
from models.specs import DataRef

DETAILED = 300
"""Samples that are shown whole: those that failed first."""


def eval_page(home: Home, name: str, checkpoint: str | None = None) -> str:
    """The report on the eval `name` (a job, or the newest of a spec's id or key, of `checkpoint` if given), as HTML.

    Raises TerminalError where the published build has none, naming what it has.
    """
    environment = Environment(loader=PackageLoader("flywheel", "report"), autoescape=select_autoescape())
    environment.filters.update(FILTERS)
    with reading(home) as ask:
        result = _result(ask, name, checkpoint)
        job = [result["job_id"]]
        attempts = rows_of(ask, ATTEMPTS, job)
        samples = _samples(attempts, _frozen(home, ask, result["spec_id"]))
        shown = samples[:DETAILED]
        rollouts = _rollouts(ask, [attempt["rollout_id"] for sample in shown for attempt in sample["attempts"]])
        for sample in shown:
            for attempt in sample["attempts"]:
                attempt["steps"] = rollouts.get(attempt["rollout_id"] or "", [])
        return environment.get_template("eval.html").render(
            build=rows_of(ask, "select * from flywheel_build")[0],
            result=result,
            faults=rows_of(ask, FAULTS, job),
            clusters=rows_of(ask, CLUSTERS, job),
            samples=shown,
            hidden=len(samples) - len(shown),
            beside=rows_of(ask, BESIDE, [result["spec_id"]]),
            beside_chart=Markup(charts.results(rows_of(ask, BESIDE_CHART, [result["spec_id"]]))),
            scores_chart=Markup(charts.histogram([row["score"] for row in attempts], "score", (0.0, 1.0))),
            seconds_chart=Markup(charts.histogram([row["seconds"] for row in attempts], "seconds")),
        )


def _result(ask: Ask, name: str, checkpoint: str | None) -> Row:
    found = rows_of(ask, RESULT, [name, name, name, checkpoint, checkpoint])
    if found:
        return found[0]
    known = ask("select distinct coalesce(spec_key, spec_id) from fct_eval_results order by 1").rows
    has = ", ".join(str(key) for (key,) in known) or "none"
    of = f" of {checkpoint}" if checkpoint else ""
    raise TerminalError(
        f"the published build has no completed eval {name!r}{of}; it has: {has}. flywheel sink --once && "
        "flywheel build bring in what is new"
    )


def _frozen(home: Home, ask: Ask, spec_id: str) -> dict[str, Sample]:
    """The samples as the checkpoint got them; none where this home lacks the set."""
    rows = ask("select spec from base_specs where spec_id = ? and error is null limit 1", [spec_id]).rows
    try:
        found = read_samples(home, DataRef.model_validate(json.loads(rows[0][0])["data"])) if rows else []
    except TerminalError:
        return {}
    return {sample.sample_id: sample for sample in found}


def _samples(attempts: list[Row], frozen: dict[str, Sample]) -> list[Row]:
    """Attempts by sample, the worst sample first: those that failed, those without a score, those that passed."""
    by_sample: dict[str, list[Row]] = {}
    for attempt in attempts:
        by_sample.setdefault(attempt["sample_id"], []).append(attempt)
    found: list[Row] = []
    for sample_id, tried in by_sample.items():
        scores = [attempt["score"] for attempt in tried if attempt["score"] is not None]
        sample = frozen.get(sample_id)
        found.append(
            {
                "sample_id": sample_id,
                "cluster": tried[0]["cluster"],
                "attempts": tried,
                "mean": sum(scores) / len(scores) if scores else None,
                "prompt": sample.prompt or sample.text if sample else None,
                "completion": sample.completion if sample else None,
            }
        )
    return sorted(found, key=_badness)


def _badness(sample: Row) -> tuple[int, float, str]:
    mean: float | None = sample["mean"]
    return (0 if mean is not None and mean < 1 else 1 if mean is None else 2, mean or 0.0, sample["sample_id"])


def _rollouts(ask: Ask, wanted: list[str | None]) -> dict[str, list[dict[str, Any]]]:
    """Rollout id -> its steps."""
    ids = [each for each in wanted if each is not None]
    if not ids:
        return {}
    return {str(name): json.loads(steps) for name, steps in ask(STEPS, [ids]).rows}


RESULT = """
select results.*, jobs.queued_at, modes.name as mode_name
from fct_eval_results as results
left join fct_jobs as jobs using (job_id)
left join dim_failure_modes as modes on results.mode_id = modes.mode_id
where (results.job_id = ? or results.spec_id = ? or results.spec_key = ?)
  and (? is null or results.checkpoint_id = ?)
order by results.completed_at desc, results.job_id limit 1
"""

ATTEMPTS = "select * from fct_eval_samples where job_id = ? order by sample_id, trial"

FAULTS = """
select coalesce(fault, 'unknown') as fault, count(*) as attempts, min(explanation) as example
from fct_eval_samples where job_id = ? and status = 'errored' group by 1 order by 2 desc, 1
"""

CLUSTERS = """
select cluster, count(distinct sample_id) as samples, avg(score) as score
from fct_eval_samples where job_id = ? and cluster is not null
group by 1 having count(distinct sample_id) > 1 order by 3, 1 limit 30
"""

BESIDE = """
select checkpoint_id, value, low, high, scored, samples, usd, job_id, completed_at
from fct_eval_results where spec_id = ?
qualify row_number() over (partition by checkpoint_id order by completed_at desc, job_id) = 1
order by value desc nulls last, checkpoint_id
"""

BESIDE_CHART = """
select 'this eval' as eval, checkpoint_id as checkpoint, value, low, high
from fct_eval_results where spec_id = ? and value is not null
qualify row_number() over (partition by checkpoint_id order by completed_at desc, job_id) = 1
order by checkpoint_id
"""

STEPS = """
select rollout_id, steps from stg_responses__rollouts where list_contains(?, rollout_id) and steps is not null
qualify row_number() over (partition by rollout_id order by received_at desc, log_partition desc, log_offset desc) = 1
"""
