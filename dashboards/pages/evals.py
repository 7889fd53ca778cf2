"""All evals: what the best checkpoint scores, which are spent, and what was retired for what."""

from dashboards import words
from dashboards.chart import Chart
from dashboards.charts.readings import readings
from dashboards.listing import listing
from dashboards.page import Asked, Page, Shown
from dashboards.table import Column

EVALS = """
select saturation.eval, saturation.kind, saturation.arm, saturation.checkpoints, saturation.best, saturation.strict,
  saturation.low as interval_low, saturation.high as interval_high, saturation.low, saturation.high, saturation.lenient,
  saturation.gap, saturation.is_spent, case when saturation.is_spent then 'spent' else 'live' end as state,
  saturation.trend, saturation.half_life, saturation.half_life_low as life_low, saturation.half_life_high as life_high,
  saturation.axis
from fct_eval_saturation as saturation left join fct_specs as specs on saturation.spec_id = specs.spec_id
where specs.spec_id is null or (specs.is_latest and specs.retired_at is null and specs.spec_key like 'eval:%')
"""

RETIRED = """
select spec_key, revision, samples, issued_at, retired_at, retired_because from fct_specs
where kind = 'eval' and retired_at is not null
"""

PASSES = "select benchmark, subject, k, any_of_k, all_of_k, tasks from fct_pass_rates"

COLUMNS = (
    Column("eval", "eval"),
    Column("state", "state", "state", hint="Spent: the best checkpoint's lower bound passes 90%."),
    Column("checkpoints", "checkpoints", "whole"),
    Column("best", "best", link="/checkpoint"),
    Column("strict", "strict", "percent"),
    Column("interval", "95% interval", "interval"),
    Column("lenient", "lenient", "percent"),
    Column("gap", "gap", "percent", hint="Lenient less strict: what cheating or a second look makes."),
    Column("trend", "trend"),
    Column("half_life", "half-life", "figure", hint="Days, or steps of its run, in which the odds of failing halve."),
    Column("axis", "in"),
)

RETIRED_COLUMNS = (
    Column("spec_key", "eval"),
    Column("revision", "revision", "whole"),
    Column("samples", "samples", "whole"),
    Column("retired_because", "why", sortable=False),
    Column("issued_at", "issued", "moment"),
    Column("retired_at", "retired", "moment"),
)

PASS_COLUMNS = (
    Column("benchmark", "of"),
    Column("subject", "checkpoint or model"),
    Column("k", "k", "whole"),
    Column("any_of_k", "any of k", "percent", hint="pass@k: the lenient reading."),
    Column("all_of_k", "all of k", "percent", hint="pass^k: the strict one."),
    Column("tasks", "tasks", "whole"),
)


def show(asked: Asked) -> Shown:
    """The evals, those that are retired, and what several tries say."""
    table = listing(
        asked, "evals", "Evals, the most used up first", COLUMNS, EVALS,
        order="low desc nulls last, eval, arm", mart="fct_eval_saturation",
        empty="None yet: flywheel evals serve works what is queued.",
    )  # fmt: skip
    ours = asked.rows(f"select * from ({EVALS}) where kind = 'spec' order by low desc nulls last, eval limit 16")
    drawn = readings(ours, table)
    tables = (
        table,
        listing(
            asked, "retired", "Retired, newest first", RETIRED_COLUMNS, RETIRED, order="retired_at desc, spec_key",
            mart="fct_specs", empty="None: an eval is retired when the best checkpoint's lower bound passes 90%.",
        ),
        listing(
            asked, "passes", "Several tries", PASS_COLUMNS, f"select * from ({PASSES}) where k > 1",
            order="benchmark, subject, k", mart="fct_pass_rates", empty="Nothing was tried more than once.",
        ),
    )  # fmt: skip
    spent = sum(bool(row["is_spent"]) for row in ours)
    retired = tables[1].total or 0
    lead = (
        f"{words.count(len(ours), 'live eval')} of ours {words.have(len(ours))} results, {spent} of them spent; "
        f"{words.count(retired, 'eval')} {words.are(retired)} retired."
    )
    return Shown(lead=lead, tables=tables, charts=tuple(list[Chart]([drawn]) if drawn else ()))


PAGE = Page(
    name="evals",
    path="/evals",
    title="Evals",
    question="Which evals still tell checkpoints apart, and which are spent?",
    needs=("fct_eval_saturation", "fct_specs", "fct_pass_rates"),
    show=show,
)
