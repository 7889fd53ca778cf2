"""Private benchmarks: how often each was asked, how wide its next answer is, and whether fresh tasks are due."""

from dashboards import words
from dashboards.chart import Chart
from dashboards.charts.wear import wear
from dashboards.listing import listing
from dashboards.page import Asked, Page, Shown
from dashboards.table import Column

BENCHMARKS = """
select *, case when is_worn then 'worn' when retired_at is not null then 'ended' else 'fresh' end as state
from dim_benchmarks
"""

USES = "select benchmark, version, use_number, checkpoint_id, purpose, used_at from fct_benchmark_uses"

COLUMNS = (
    Column("benchmark", "benchmark"),
    Column("version", "version", "whole"),
    Column("state", "state", "state", hint="Worn: the next interval is wider than it was made to see."),
    Column("samples", "samples", "whole"),
    Column("clusters", "clusters", "whole"),
    Column("uses", "uses", "whole"),
    Column("decisions", "of them decisions", "whole"),
    Column("first_width", "first width", "percent", hint="Of its first 95% interval, where the mean is a half."),
    Column("width", "next width", "percent"),
    Column("frozen_at", "frozen", "moment"),
)

USE_COLUMNS = (
    Column("benchmark", "benchmark"),
    Column("version", "version", "whole"),
    Column("use_number", "use", "whole"),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("purpose", "purpose", hint="A decision tells yes or no, a look tells a number, which wears more."),
    Column("used_at", "when", "moment"),
)


def show(asked: Asked) -> Shown:
    """All versions, and their uses."""
    table = listing(
        asked, "benchmarks", "Versions, newest first", COLUMNS, BENCHMARKS, order="benchmark, version desc",
        mart="dim_benchmarks", empty="None yet: flywheel bench create NAME begins one.",
    )  # fmt: skip
    rows = asked.rows(f"select * from ({BENCHMARKS}) where is_latest and retired_at is null order by benchmark")
    drawn = wear(rows, table)
    uses = listing(
        asked, "uses", "Uses, newest first", USE_COLUMNS, USES, order="used_at desc, benchmark, version",
        mart="fct_benchmark_uses", empty="None yet: flywheel bench run asks one.",
    )  # fmt: skip
    worn = [f"{row['benchmark']} v{row['version']}" for row in rows if row["is_worn"]]
    lead = f"{words.count(len(rows), 'benchmark')} can be asked; " + (
        f"worn, so that fresh tasks are due: {words.listed(worn)}." if worn else "none is worn."
    )
    return Shown(lead=lead, tables=(table, uses), charts=tuple(list[Chart]([drawn]) if drawn else ()))


PAGE = Page(
    name="benchmarks",
    path="/benchmarks",
    title="Benchmarks",
    question="Can the private benchmarks still be believed?",
    needs=("dim_benchmarks", "fct_benchmark_uses"),
    show=show,
)
