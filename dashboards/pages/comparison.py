"""Two checkpoints side by side: every eval that both have done, sample by sample, and what was decided."""

from dashboards import words
from dashboards.chart import Chart
from dashboards.charts.differences import differences
from dashboards.listing import listing
from dashboards.page import Asked, NotThere, Page, Shown
from dashboards.table import Column, Row, Table
from stats.paired import Attempt, paired

ONE = "select checkpoint_id, role, standing from dim_checkpoints where checkpoint_id = ?"

OTHERS = """
select others.checkpoint_id, others.standing from dim_checkpoints as mine
inner join dim_checkpoints as others on mine.role = others.role and mine.checkpoint_id <> others.checkpoint_id
where mine.checkpoint_id = ? and others.counts
order by others.standing = 'champion' desc, others.checkpoint_id = mine.base_checkpoint_id desc, others.checkpoint_id
"""

SHARED = """
select distinct specs.spec_key, samples.spec_id from fct_eval_samples as samples
inner join fct_specs as specs on samples.spec_id = specs.spec_id and specs.is_latest
where samples.checkpoint_id = ? and not samples.is_provisional
intersect
select distinct specs.spec_key, samples.spec_id from fct_eval_samples as samples
inner join fct_specs as specs on samples.spec_id = specs.spec_id and specs.is_latest
where samples.checkpoint_id = ? and not samples.is_provisional
order by all
"""

SCORES = """
select checkpoint_id, sample_id, score, cluster from fct_eval_samples
where spec_id = ? and checkpoint_id in (?, ?) and not is_provisional order by sample_id, trial
"""

DECIDED = """
select decisions.checkpoint_id, decision, bar, spec_key, value, other, difference, low as interval_low,
  high as interval_high, samples, holds, coalesce(findings.reason, decisions.reason) as why, decided_at, number
from fct_checkpoint_decisions as decisions left join fct_decision_findings as findings
  on decisions.decision_key = findings.decision_key
where decisions.checkpoint_id in (?, ?) and (decisions.champion_id is null or decisions.champion_id in (?, ?))
"""

COLUMNS = (
    Column("eval", "eval"),
    Column("verdict", "verdict", "state"),
    Column("value", "this one", "percent"),
    Column("other", "the other", "percent"),
    Column("difference", "difference", "figure"),
    Column("interval", "95% interval", "interval"),
    Column("samples", "pairs", "whole"),
    Column("clusters", "clusters", "whole"),
    Column("left_out", "left out", "whole", hint="Samples that one of them has no score for."),
)

DECIDED_COLUMNS = (
    Column("checkpoint_id", "candidate", link="/checkpoint"),
    Column("decision", "decision", "state"),
    Column("bar", "bar"),
    Column("spec_key", "eval"),
    Column("difference", "difference", "figure"),
    Column("interval", "interval", "interval"),
    Column("samples", "pairs", "whole"),
    Column("why", "why", sortable=False),
    Column("decided_at", "when", "moment"),
)


def show(asked: Asked) -> Shown:
    """The checkpoint that the address names beside `against`, or beside the champion."""
    name = asked.address.text("id")
    if not asked.rows(ONE, name):
        raise NotThere(f"no checkpoint has the id {name!r}: the list of checkpoints has those there are")
    others = [str(row["checkpoint_id"]) for row in asked.rows(OTHERS, name)]
    against = asked.address.text("against") or next(iter(others), "")
    if against and against not in others:
        raise NotThere(
            f"{against!r} is no other checkpoint of the role of {name!r}: {words.listed(others) or 'none is'}"
        )
    rows = [_row(asked, shared, name, against) for shared in asked.rows(SHARED, name, against)]
    table = Table(
        "evals", f"{name} beside {against or 'nobody'}", COLUMNS, rows, mart="fct_eval_samples",
        empty="There is no eval that both have done.",
    )  # fmt: skip
    drawn = differences(rows, name, against, table)
    decided = listing(
        asked, "decided", "What was decided about them", DECIDED_COLUMNS, DECIDED, [name, against, name, against],
        order="decided_at desc, number", mart="fct_decision_findings",
        empty="Nothing: flywheel checkpoints promote puts one up against the champion.",
    )  # fmt: skip
    return Shown(
        lead=_lead(name, against, rows),
        title=f"{name} beside {against}" if against else name,
        tables=(table, decided),
        charts=tuple(list[Chart]([drawn]) if drawn else ()),
        facts={"name": name, "against": against, "others": others},
    )


def _row(asked: Asked, shared: Row, name: str, against: str) -> Row:
    sides: dict[str, list[Attempt]] = {name: [], against: []}
    for row in asked.rows(SCORES, shared["spec_id"], name, against):
        sides[row["checkpoint_id"]].append(Attempt(row["sample_id"], row["score"], row["cluster"]))
    found = paired(sides[name], sides[against])
    known = found.pairs > 0 and found.clusters > 1
    return {
        "eval": shared["spec_key"],
        "verdict": "undecided" if not known or found.low <= 0 <= found.high else "better" if found.low > 0 else "worse",
        "value": found.candidate if found.pairs else None,
        "other": found.other if found.pairs else None,
        "difference": found.difference if found.pairs else None,
        "low": found.low if known else None,
        "high": found.high if known else None,
        "interval_low": found.low if known else None,
        "interval_high": found.high if known else None,
        "samples": found.pairs,
        "clusters": found.clusters,
        "left_out": found.only_candidate + found.only_other + found.neither,
    }


def _lead(name: str, against: str, rows: list[Row]) -> str:
    if not against:
        return f"There is no other checkpoint of the role of {name}."
    better = sum(row["verdict"] == "better" for row in rows)
    worse = sum(row["verdict"] == "worse" for row in rows)
    return (
        f"Of {words.count(len(rows), 'eval')} that both have done, {name} is better than {against} on {better} and "
        f"worse on {worse}; intervals are of one look, and promote nothing."
    )


PAGE = Page(
    name="comparison",
    path="/comparison",
    title="Two checkpoints",
    question="Which of two checkpoints is better, and on what?",
    needs=("dim_checkpoints", "fct_eval_samples", "fct_specs", "fct_checkpoint_decisions", "fct_decision_findings"),
    show=show,
    under="checkpoints",
)
