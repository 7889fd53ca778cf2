"""All failure modes: which are largest, and which grow."""

from dashboards import words
from dashboards.charts.days import said
from dashboards.charts.spark import spark
from dashboards.listing import listing, of_rows
from dashboards.page import Asked, Page, Shown
from dashboards.table import Column, Row
from dashboards.windows import DAYS, WINDOW

MODES = """
select modes.mode_id, modes.name, modes.parent, modes.status, modes.origin, modes.feedback_count, modes.author_count,
  modes.negative_count, impact.negative_share, impact.negative_share_low as interval_low,
  impact.negative_share_high as interval_high, modes.last_seen,
  case when modes.eval_reason = 'ready' then 'ready' else 'not yet' end as eval
from dim_failure_modes as modes join fct_failure_mode_impact as impact using (mode_id)
where modes.feedback_count > 0 or modes.origin <> 'seeded'
order by modes.negative_count desc, modes.feedback_count desc, modes.mode_id
"""

COLUMNS = (
    Column("name", "failure mode", link="/mode", link_by="mode_id"),
    Column("parent", "group"),
    Column("status", "status", "state"),
    Column("feedback_count", "comments", "whole"),
    Column("author_count", "authors", "whole"),
    Column("negative_count", "negative", "whole"),
    Column("negative_share", "of all negative", "percent", hint="A text may show several modes."),
    Column("spark", "trend", "spark", sortable=False),
    Column("last_seen", "last seen", "moment"),
    Column("eval", "eval", "state", hint="Why there is none yet stands on the mode's own page."),
)

EMERGING = """
select modes.name, emerging.mode_id, emerging.dimension, emerging.subject, emerging.ratio,
  emerging.ratio_low as interval_low,
  emerging.ratio_high as interval_high, emerging.recent_count, emerging.before_count, emerging.recent_author_count,
  emerging.q_value
from fct_emerging_modes as emerging join dim_failure_modes as modes using (mode_id)
"""

EMERGING_COLUMNS = (
    Column("name", "failure mode", link="/mode", link_by="mode_id"),
    Column("dimension", "among"),
    Column("subject", "subject"),
    Column("ratio", "times its share before", "figure"),
    Column("interval", "95% interval", "interval"),
    Column("recent_count", "voices, 7 days", "whole"),
    Column("before_count", "28 days before", "whole"),
    Column("recent_author_count", "authors", "whole"),
    Column(
        "q_value",
        "q",
        "figure",
        hint="Of what is shown, so much is chance at most: corrected for all that was looked at.",
    ),
)


def show(asked: Asked) -> Shown:
    """The modes, the largest first, and those that grew."""
    modes = asked.rows(MODES)
    window = asked.row(WINDOW)
    days: dict[str, list[Row]] = {}
    for row in asked.rows(DAYS) if asked.as_csv is None else []:
        days.setdefault(row["mode_id"], []).append(row)
    rows = [
        {
            **mode,
            "spark": spark(days.get(mode["mode_id"], []), window["first"], window["last"]),
            "trend_said": said(days.get(mode["mode_id"], [])),
        }
        for mode in modes
    ]
    tables = [
        of_rows(asked, "modes", "Failure modes, by negative feedback", COLUMNS, rows, size=50, mart="dim_failure_modes")
    ]
    grew: list[Row] = []
    if asked.has("fct_emerging_modes"):
        grew = asked.rows("select distinct mode_id from fct_emerging_modes")
        tables.append(
            listing(
                asked, "emerging", "Grew by more than chance explains", EMERGING_COLUMNS, EMERGING,
                mart="fct_emerging_modes",
                order="q_value, mode_id, dimension, subject",
                empty="None in the newest 7 days beside the 28 before.",
            )
        )  # fmt: skip
    return Shown(lead=_lead(modes, len(grew)), tables=tuple(tables))


def _lead(modes: list[Row], grew: int) -> str:
    seen = [mode for mode in modes if mode["feedback_count"]]
    if not seen:
        return "No failure mode has been seen yet."
    top = seen[0]
    share = (
        f", {words.percent(top['negative_share'])} of negative feedback" if top["negative_share"] is not None else ""
    )
    proposed = sum(mode["status"] == "proposed" for mode in seen)
    said_grew = "none grew" if not grew else f"{grew:,} grew"
    return (
        f"{words.count(len(seen), 'failure mode')} {words.have(len(seen))} been seen, and {said_grew} in "
        f"the last 7 days. The largest is {top['name']}{share}. {proposed:,} {words.are(proposed)} proposed and "
        f"{'waits' if proposed == 1 else 'wait'} for a person's word."
    )


PAGE = Page(
    name="modes",
    path="/modes",
    title="Failure modes",
    question="What goes wrong most, and what grows?",
    needs=("dim_failure_modes", "fct_failure_mode_impact", "fct_failure_mode_daily", "fct_feedback"),
    show=show,
    live_s=15,
)
