"""The page of the failure modes: tree, trends, examples, what grew, what changed. Rows of the marts into a template.

Everything that people wrote is escaped by the template; charts are drawn from numbers and dates alone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from dashboards.charts.days import said as in_words
from dashboards.charts.spark import spark
from dashboards.windows import DAYS, WINDOW
from flywheel.report import charts
from flywheel.report.changes import Mode, Snapshot, changes, load
from flywheel.report.page import FILTERS, Row, rows_of
from ingest.durable import replace
from ingest.home import Home
from ingest.reader import Ask, reading
from models.errors import TerminalError

EXAMPLES = 5
"""Of a mode, its medoid among them."""


class Page(NamedTuple):
    """The page, and what the next one is to be compared with."""

    html: str
    snapshots: list[Snapshot]


def modes_page(home: Home) -> str:
    """The report on the failure modes of the published build, as HTML. Notes in the home what it has shown.

    Raises TerminalError where the home can't be written to.
    """
    with home.lock("modes report"):
        page = render(home)
        try:
            replace(_state(home), b"[" + b",".join(each.dump() for each in page.snapshots) + b"]")
        except OSError as error:
            raise TerminalError(f"{_state(home)} can't be written: {error.strerror}") from error
    return page.html


def render(home: Home) -> Page:
    """The page, with nothing noted."""
    environment = Environment(loader=PackageLoader("flywheel", "report"), autoescape=select_autoescape())
    environment.filters.update(FILTERS)
    with reading(home) as ask:
        modes = _modes(ask)
        build = rows_of(ask, "select * from flywheel_build")[0]
        now = _snapshot(build, modes, int(ask("select count(*) from int_mode_cells where not is_automated").rows[0][0]))
        before = _before(home, now)
        html = environment.get_template("modes.html").render(
            build=build,
            total=now.total,
            tree=list(_tree(modes)),
            modes=[mode for mode in modes if mode["feedback_count"] or mode["origin"] != "seeded"],
            silent=[mode["name"] for mode in modes if not mode["feedback_count"] and mode["origin"] == "seeded"],
            emerging=rows_of(ask, EMERGING),
            before=before,
            changes=changes(before, now) if before else None,
            card=_card(ask),
            without=rows_of(ask, WITHOUT)[0],
        )
    return Page(html, [now] if before is None else [before, now])


def _state(home: Home) -> Path:
    return home.path / "modes-report.json"


def _before(home: Home, now: Snapshot) -> Snapshot | None:
    """The last build that was reported on, this one apart; None where there is none, or it can't be read."""
    try:
        known = load(_state(home).read_bytes())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return next((each for each in reversed(known) if each.build != now.build), None)


def _snapshot(build: Row, modes: list[Row], total: int) -> Snapshot:
    shown = {mode["mode_id"]: Mode(mode["name"], mode["status"], mode["feedback_count"]) for mode in modes}
    return Snapshot(build["number"], build["built_at"].isoformat(timespec="minutes"), total, shown)


def _modes(ask: Ask) -> list[Row]:
    modes = rows_of(ask, MODES)
    window = rows_of(ask, WINDOW)[0]
    days: dict[str, list[Row]] = {}
    for row in rows_of(ask, DAYS):
        days.setdefault(row["mode_id"], []).append(row)
    examples: dict[str, list[Row]] = {}
    for row in rows_of(ask, SHOWN):
        examples.setdefault(row["mode_id"], []).append(row)
    copies = {row["mode_id"]: row for row in rows_of(ask, COPIES)}
    for mode in modes:
        said = days.get(mode["mode_id"], [])
        mode["examples"] = examples.get(mode["mode_id"], [])[:EXAMPLES]
        mode["copies"] = copies.get(mode["mode_id"])
        mode["trend"] = Markup(charts.trend(said, (window["first"], window["last"])))
        mode["spark"] = spark(said, window["first"], window["last"])
        mode["trend_said"] = in_words(said)
    return modes


def _tree(modes: list[Row]) -> Iterator[tuple[int, str | None, Row | None]]:
    """(depth, group, mode) line by line: a group's own line has no mode. What is its own ancestor stands alone."""
    ids = {mode["mode_id"] for mode in modes}
    children: dict[str | None, list[Row]] = {}
    for mode in modes:
        children.setdefault(mode["parent"], []).append(mode)
    shown: set[str] = set()

    def under(parent: str | None, depth: int) -> Iterator[tuple[int, str | None, Row | None]]:
        for mode in children.get(parent, []):
            if mode["mode_id"] not in shown:
                shown.add(mode["mode_id"])
                yield depth, None, mode
                yield from under(mode["mode_id"], depth + 1)

    groups = [parent for parent in children if parent is not None and parent not in ids]
    for group in sorted(groups, key=lambda name: (-sum(mode["negative_count"] for mode in children[name]), name)):
        yield 0, group, None
        yield from under(group, 1)
    if children.get(None):
        yield 0, "no group", None
        yield from under(None, 1)
    for mode in modes:
        if mode["mode_id"] not in shown:
            shown.add(mode["mode_id"])
            yield 0, None, mode


def _card(ask: Ask) -> Row | None:
    """What the classifier says of itself."""
    known = ask("select 1 from duckdb_tables() where table_name = 'dim_mode_classifiers'").rows
    found = rows_of(ask, CARD) if known else []
    return found[0] if found else None


MODES = """
select modes.*, impact.negative_share, impact.negative_share_low, impact.negative_share_high,
  impact.with_voted, impact.with_up_rate, impact.other_up_rate,
  impact.other_difference, impact.other_difference_low, impact.other_difference_high
from dim_failure_modes as modes
join fct_failure_mode_impact as impact using (mode_id)
order by modes.negative_count desc, modes.feedback_count desc, modes.mode_id
"""

SHOWN = """
with medoids as (
  select successors.successor_id as mode_id, proposed.medoid_key as event_key, min(proposed.log_offset) as log_offset
  from stg_taxonomy__modes_proposed as proposed
  join int_mode_successors as successors on proposed.mode_id = successors.mode_id
  where proposed.mode_id = successors.successor_id
  group by 1, 2
),
chosen as (
  select modes.mode_id, 0 as rank, modes.event_key, modes.confidence
  from medoids join fct_feedback_modes as modes using (mode_id, event_key)
  union all
  select mode_id, rank, event_key, confidence from fct_failure_mode_examples
),
alike as (
  select modes.mode_id, cells.complaint_key, count(*) as copies, count(distinct cells.author_key) as authors
  from fct_feedback_modes as modes join int_mode_cells as cells using (event_key)
  where not cells.is_automated
  group by 1, 2
)
select chosen.mode_id, chosen.rank, chosen.confidence, feedback.text, feedback.event_id, cells.language,
  alike.copies, alike.authors
from chosen
join fct_feedback as feedback using (event_key)
join int_mode_cells as cells using (event_key)
left join alike on chosen.mode_id = alike.mode_id and cells.complaint_key = alike.complaint_key
qualify row_number() over (
  partition by chosen.mode_id, coalesce(cells.complaint_key, chosen.event_key) order by chosen.rank
) = 1
order by chosen.mode_id, chosen.rank
"""
"""The medoid of a discovered mode first; of texts that are nearly the same, one."""

COPIES = """
select modes.mode_id, count(*) as comments, count(distinct cells.author_key) as authors
from fct_feedback_modes as modes join int_mode_cells as cells using (event_key)
where not cells.is_automated and cells.complaint_key is not null
group by modes.mode_id, cells.complaint_key
having count(*) > 1
qualify row_number() over (partition by modes.mode_id order by count(*) desc, cells.complaint_key) = 1
"""

EMERGING = """
select emerging.*, modes.name from fct_emerging_modes as emerging join dim_failure_modes as modes using (mode_id)
order by q_value, mode_id, dimension, subject
"""

CARD = "select * from dim_mode_classifiers order by labels desc, model_version limit 1"

WITHOUT = """
select count(*) as without_a_mode from int_mode_cells
where not is_automated and event_key not in (select event_key from fct_feedback_modes)
"""
