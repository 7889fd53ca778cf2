"""One experiment: is a variant better, can that be trusted, and does it hold everywhere."""

from typing import Any

from dashboards import words
from dashboards.arms import arms
from dashboards.chart import Chart
from dashboards.charts.effect import effect_over_time
from dashboards.charts.segments import effect_by_segment
from dashboards.listing import listing
from dashboards.page import Asked, NotThere, Page, Shown
from dashboards.table import Column, Row, Table

ONE = "select * from dim_experiments where experiment_id = ?"

EXPOSED = """
select variant, count(*) as units from int_exposed_units where experiment_id = ? and fault is null group by variant
"""

METRICS = """
select outcomes.metric, variant, verdict, role, estimate, control_estimate, difference, low as interval_low,
  high as interval_high, relative, relative_low, relative_high, adjusted_p, units, control_units, information, reason,
  metrics.unit_label, metrics.description
from fct_ab_outcomes as outcomes left join dim_metrics as metrics on outcomes.metric = metrics.metric
where experiment_id = ? and is_latest
"""

DAYS = """
select day, variant, difference, low, high, decision_low, decision_high, units, control_units from fct_ab_outcomes
where experiment_id = ? and metric = ? order by day, variant
"""

SEGMENTS = """
select dimension, segment, variant, difference, low, high, low as interval_low, high as interval_high, units,
  control_units, adjusted_p, metrics.unit_label
from fct_ab_segments as segments left join dim_metrics as metrics on segments.metric = metrics.metric
where experiment_id = ? and segments.metric = ?
"""

FADING = """
select novelty.metric, variant, days, early, late, change, change as difference, low as interval_low,
  high as interval_high, adjusted_p, fades, units, control_units, metrics.unit_label
from fct_ab_novelty as novelty left join dim_metrics as metrics on novelty.metric = metrics.metric
where experiment_id = ?
"""

METRIC_COLUMNS = (
    Column("metric", "metric"),
    Column("variant", "variant"),
    Column("verdict", "verdict", "state"),
    Column("role", "role"),
    Column("control_estimate", "control", "estimate"),
    Column("estimate", "variant has", "estimate"),
    Column("difference", "difference", "effect"),
    Column("interval", "95% interval", "effect_interval", hint="It holds however often one looks."),
    Column("relative", "relative", "percent"),
    Column("adjusted_p", "p, adjusted", "figure", hint="For all metrics that were looked at."),
    Column("reason", "why", sortable=False),
)

SEGMENT_COLUMNS = (
    Column("dimension", "by"),
    Column("segment", "segment"),
    Column("variant", "variant"),
    Column("difference", "difference", "effect"),
    Column("interval", "95% interval", "effect_interval"),
    Column("adjusted_p", "p, adjusted", "figure"),
    Column("units", "units", "whole"),
    Column("control_units", "of control", "whole"),
)

FADING_COLUMNS = (
    Column("metric", "metric"),
    Column("variant", "variant"),
    Column("days", "days", "whole", hint="In either half of a unit's days after its exposure."),
    Column("early", "first days", "effect"),
    Column("late", "days after", "effect"),
    Column("change", "change", "effect"),
    Column("interval", "95% interval", "effect_interval", hint="It holds however often one looks."),
    Column("adjusted_p", "p, adjusted", "figure", hint="For all metrics and variants here (Holm)."),
    Column("units", "units", "whole"),
    Column("control_units", "of control", "whole"),
)

ARM_COLUMNS = (
    Column("name", "variant"),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("planned", "planned", "percent"),
    Column("share", "came", "percent"),
    Column("units", "units", "whole"),
    Column("lost", "lost at least", "percent", hint="If the arm that is fullest for its plan has lost no exposure."),
)


def show(asked: Asked) -> Shown:
    """The experiment that the address names; of several metrics the one that it names, or that decides."""
    experiment_id = asked.address.text("id")
    found = asked.rows(ONE, experiment_id)
    if not found:
        raise NotThere(f"no experiment has the id {experiment_id!r}: the list of experiments has those there are")
    one = found[0]
    named = "fct_ab_outcomes" if asked.has("fct_ab_outcomes", "dim_metrics") else ""
    latest = asked.rows(METRICS, experiment_id) if named else []
    known = sorted({row["metric"] for row in latest})
    chosen = asked.address.text("metric") or one["decision_metric"] or next(iter(known), "")
    tables, charts = [_arms(asked, one)], list[Chart]()
    unit = next((row for row in latest if row["metric"] == chosen), Row())
    if latest:
        tables.append(
            listing(
                asked, "metrics", "Every metric on the last day", METRIC_COLUMNS, METRICS, [experiment_id],
                order="case role when 'decision' then 0 when 'guardrail' then 1 else 2 end, metric, variant",
                mart=named,
            )
        )  # fmt: skip
        if chart := effect_over_time(asked.rows(DAYS, experiment_id, chosen), chosen, unit, one["control"]):
            charts.append(chart)
    if asked.has("fct_ab_segments", "dim_metrics"):
        table = listing(
            asked, "segments", f"Effect on {chosen} by segment", SEGMENT_COLUMNS, SEGMENTS, [experiment_id, chosen],
            order="dimension, units desc, segment, variant", mart="fct_ab_segments", size=50,
        )  # fmt: skip
        overall = [row["difference"] for row in latest if row["metric"] == chosen]
        shown = [row for row in table.rows if row["units"]]
        if chart := effect_by_segment(shown, chosen, overall[0] if len(overall) == 1 else None, unit, table):
            charts.append(chart)
    fading = list[Row]()
    if asked.has("fct_ab_novelty", "dim_metrics"):
        table = listing(
            asked, "fading", "Early and late effects", FADING_COLUMNS, FADING, [experiment_id],
            order="fades desc, metric, variant", mart="fct_ab_novelty",
        )  # fmt: skip
        fading = [row for row in table.rows if row["fades"]]
        tables += [table] if table.rows else []
    return Shown(
        lead=_lead(one),
        title=experiment_id,
        tables=tuple(tables),
        charts=tuple(charts),
        facts={
            "one": one,
            "guardrails": _guardrails(latest),
            "metrics": known,
            "chosen": chosen,
            "faults": _faults(one),
            "pairs": _pairs(one),
            "fading": _fading(fading),
        },
    )


def _lead(one: Row) -> str:
    if one["said"]:
        why = f"; {one['reason']}" if one["verdict"] == "undecided" and one["reason"] else ""
        return f"{one['said'][0].upper()}{one['said'][1:]}{why}."
    return f"No verdict{'' if one['verdict'] == 'invalid' else ' yet'}: {one['reason'] or 'nothing has been measured'}."


def _arms(asked: Asked, one: Row) -> Table:
    exposed = asked.rows(EXPOSED, one["experiment_id"]) if asked.has("int_exposed_units") else []
    units = {row["variant"]: row["units"] for row in exposed}
    return Table(
        "arms",
        "Who came into each arm",
        ARM_COLUMNS,
        [arm._asdict() for arm in arms(one["variants"], units)],
        mart="int_exposed_units",
    )


def _faults(one: Row) -> list[tuple[str, str]]:
    """(tone, sentence) of what keeps it from being trusted."""
    found: list[tuple[str, str]] = []
    if one["srm_ok"] is False:
        found.append(
            ("bad",
            f"Sample ratio mismatch: chance gives such arms with p = {words.figure(one['srm_sequential_p'])}. "
             "Exposures were lost or doubled in some arm, so that no effect can be trusted until that is mended.")
        )  # fmt: skip
    left_out: list[str] = []
    if one["crossovers"]:
        crossed = words.count(one["crossovers"], "unit")
        left_out.append(f"{crossed} met two variants and {words.are(one['crossovers'])} left out.")
    if one["flagged"]:
        flagged = words.count(one["flagged"], "bot or constant anonymous id", "bots or constant anonymous ids")
        left_out.append(f"{flagged} {words.are(one['flagged'])} left out.")
    if left_out:
        found.append(("warn", " ".join(left_out)))
    return found


def _guardrails(latest: list[Row]) -> str:
    rows = [row for row in latest if row["role"] == "guardrail"]
    if not rows:
        return "No guardrail is measured."
    harmed = [f"{row['metric']} by {row['variant']}" for row in rows if row["verdict"] == "harmed"]
    holds = sum(row["verdict"] == "holds" for row in rows)
    said = f"{holds} of {words.count(len(rows), 'guardrail')} {'holds' if holds == 1 else 'hold'}"
    return f"{said}; harmed: {words.listed(harmed)}." if harmed else f"{said}."


def _fading(fades: list[Row]) -> str:
    if not fades:
        return "No effect is known to fade: the intervals say how much fading is still possible."
    named = words.listed([f"{row['metric']} of {row['variant']}" for row in fades])
    return f"Smaller in the later days than in the first: {named}."


def _pairs(one: Row) -> list[tuple[str, Any]]:
    planned = f"; {words.whole(one['planned_units'])} planned" if one["planned_units"] else ""
    days = f" of {one['planned_days']} planned" if one["planned_days"] else ""
    return [
        (name, value)
        for name, value in (
            ("state", f"{one['state']}{': ' + one['stop_reason'] if one['stop_reason'] else ''}"),
            ("decides", one["decision_metric"]),
            ("unit", one["unit"]),
            ("units", f"{words.whole(one['units'])}{planned}"),
            ("days", f"{words.whole(one['days'])}{days}"),
            ("started", words.moment(one["started_at"])),
            (
                "split",
                "not known"
                if one["srm_ok"] is None
                else f"{'fine' if one['srm_ok'] else 'mismatch'}, p = {words.figure(one['srm_sequential_p'])}",
            ),
        )
        if value
    ]


PAGE = Page(
    name="experiment",
    path="/experiment",
    title="Experiment",
    question="Is a variant better, and can that be trusted?",
    needs=("dim_experiments",),
    show=show,
    under="experiments",
)
