"""`flywheel modes alerts`: what `fct_emerging_modes` shows, said once as events, so that somebody is told.

Reads the published build for what grew, and the log for what was raised before. What goes on growing is not said again
until its window of 7 days has passed. Pages nobody: that is for whoever reads the events.
"""

from datetime import date
from typing import NamedTuple

from ingest.home import Home
from ingest.log import EventLog, publish, replay
from ingest.reader import query
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.taxonomy import AlertRaised
from models.ids import event_id
from stats.wilson import wilson

SOURCE = "flywheel/modes"


class Grown(NamedTuple):
    """One row of `fct_emerging_modes`, as far as an alert tells it."""

    mode_id: str
    name: str
    dimension: str
    subject: str
    baseline: str
    window_start: date
    window_end: date
    recent_count: int
    recent_total: int
    before_count: int
    before_total: int
    ratio: float | None
    """None: nobody said it before."""
    ratio_low: float
    ratio_high: float | None
    q_value: float
    recent_author_count: int
    is_only_here: bool

    @property
    def where(self) -> str | None:
        """Dimension and subject as alerts name them; None for all feedback."""
        return None if self.dimension == "all" else f"{self.dimension}:{self.subject}"


class Alerted(NamedTuple):
    """What grew, and which of it was said of now."""

    grown: list[Grown]
    raised: list[AlertRaised]


def raise_alerts(home: Home, log: EventLog) -> Alerted:
    """Publish an alert for each mode and subject that grew and of which none stands. Raises FlywheelError before the
    first build."""
    with home.lock("alerts"):
        grown = [Grown(*row) for row in query(home, GROWN).rows]
        standing = _standing(log)
        raised = [alert(row) for row in grown if not _stands(row, standing.get((row.mode_id, row.where), []))]
        publish(log, raised)
        return Alerted(grown, raised)


def alert(row: Grown) -> AlertRaised:
    """The event that says `row`. Its id goes by mode, subject and window: said twice, it is one."""
    share = wilson(row.recent_count, row.recent_total)
    return AlertRaised(
        id=event_id("alert_raised", row.mode_id, row.where or "", row.window_end.isoformat()),
        source=SOURCE,
        kind="emerging",
        mode_id=row.mode_id,
        subject=row.where,
        window_start=row.window_start.isoformat(),
        window_end=row.window_end.isoformat(),
        value=row.recent_count / row.recent_total,
        low=share.low,
        high=share.high,
        baseline=row.before_count / row.before_total,
        message=said(row),
    )


def said(row: Grown) -> str:
    """The alert as a sentence: mode, growth with its interval, window, where, the counts of both windows, q."""
    growth = (
        f"is new (at least {row.ratio_low:.1f}x)"
        if row.ratio is None or row.ratio_high is None
        else f"grew {row.ratio:.1f}x (95% interval {row.ratio_low:.1f} to {row.ratio_high:.1f})"
    )
    where = "" if row.where is None else f", {row.dimension} {row.subject}{' only' if row.is_only_here else ''}"
    before = "28 days before" if row.baseline == "own" else "everybody's 28 days before"
    return (
        f"{row.name} {growth} in the 7 days to {row.window_end}{where}: {row.recent_count} of {row.recent_total} "
        f"voices, {row.recent_author_count} authors; {before} {row.before_count} of {row.before_total}; "
        f"q {row.q_value:.2g}"
    )


def _stands(row: Grown, windows: list[tuple[str, str]]) -> bool:
    """Whether one of `windows` (first and last day, YYYY-MM-DD) shares a day with that of `row`."""
    first, last = row.window_start.isoformat(), row.window_end.isoformat()
    return any(start <= last and first <= end for start, end in windows)


def _standing(log: EventLog) -> dict[tuple[str, str | None], list[tuple[str, str]]]:
    """(mode, subject) -> the windows of which an alert was raised; what is no event is passed over, as staging does."""
    found: dict[tuple[str, str | None], list[tuple[str, str]]] = {}
    for record in replay(log, "taxonomy"):
        try:
            event: AnyEvent = parse(record.value, record.headers)
        except BadEvent:
            continue
        if isinstance(event, AlertRaised) and event.kind == "emerging":
            found.setdefault((event.mode_id, event.subject), []).append((event.window_start, event.window_end))
    return found


GROWN = f"""
select {", ".join(name if name != "name" else "modes.name" for name in Grown._fields)}
from fct_emerging_modes
inner join dim_failure_modes as modes using (mode_id)
where modes.counts_as is not null
order by q_value, mode_id, dimension, subject
"""
