"""All experiments: which have an answer, and which can't be trusted."""

from dashboards import words
from dashboards.listing import listing
from dashboards.page import Asked, Page, Shown
from dashboards.table import Column

EXPERIMENTS = """
select experiment_id, coalesce(verdict, 'undecided') as verdict, coalesce(said, reason) as said, state, decision_metric,
  units, days, planned_days, case when srm_ok is null then 'unknown' when srm_ok then 'fine' else 'mismatch' end as srm,
  srm_p, crossovers, flagged, started_at, stopped_at, hypothesis
from dim_experiments
"""

COLUMNS = (
    Column("experiment_id", "experiment", link="/experiment"),
    Column("verdict", "verdict", "state"),
    Column("said", "in words", sortable=False),
    Column("state", "state", "state"),
    Column("units", "units", "whole", hint="People, conversations or responses that count."),
    Column("days", "days", "whole"),
    Column("srm", "split", "state", hint="Whether the arms have the sizes that were planned: the sample ratio test."),
    Column("started_at", "started", "moment"),
)

AGREEMENT = """
select eval, metric, pairs, agreeing, agreement, low as interval_low, high as interval_high from fct_eval_ab_agreement
"""

AGREED = (
    Column("eval", "eval"),
    Column("metric", "metric"),
    Column("agreeing", "agree", "whole"),
    Column("pairs", "pairs of checkpoints", "whole"),
    Column("agreement", "agreement", "percent"),
    Column("interval", "95% interval", "interval"),
)

COUNTS = """
select count(*) as experiments, count(*) filter (where state = 'running') as running,
  count(*) filter (where verdict in ('better', 'worse', 'no difference', 'harmed')) as decided,
  count(*) filter (where srm_ok = false) as mismatched
from dim_experiments
"""


def show(asked: Asked) -> Shown:
    """The experiments, newest first; and which evals agreed with them."""
    counts = asked.row(COUNTS)
    tables = [
        listing(
            asked, "experiments", "Experiments, newest first", COLUMNS, EXPERIMENTS,
            order="started_at desc nulls last, experiment_id", mart="dim_experiments",
            empty="None yet: flywheel ab plan, then flywheel ab start.",
        )
    ]  # fmt: skip
    if asked.has("fct_eval_ab_agreement"):
        tables.append(
            listing(
                asked, "agreement", "Evals beside what users said of the same checkpoints", AGREED, AGREEMENT,
                order="pairs desc, eval, metric", mart="fct_eval_ab_agreement",
                empty="None yet: it takes an experiment between two checkpoints that one eval has scored.",
            )
        )  # fmt: skip
    return Shown(lead=_lead(counts), tables=tuple(tables))


def _lead(counts: dict[str, int]) -> str:
    if not counts["experiments"]:
        return "There is no experiment yet."
    decided, mismatched = counts["decided"], counts["mismatched"]
    lead = f"{decided} of {words.count(counts['experiments'], 'experiment')} {words.have(decided)} a verdict; "
    lead += f"{counts['running']} {words.are(counts['running'])} running."
    if mismatched:
        it = "it" if mismatched == 1 else "them"
        lead += f" {mismatched} {words.have(mismatched)} a sample ratio mismatch, so that nothing can be said of {it}."
    return lead


PAGE = Page(
    name="experiments",
    path="/experiments",
    title="Experiments",
    question="Which experiments have an answer?",
    needs=("dim_experiments",),
    show=show,
)
