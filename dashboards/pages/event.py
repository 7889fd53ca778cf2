"""One comment, report or vote, whole: what was said, of which answer, and what it shows."""

from typing import Any

from dashboards import words
from dashboards.address import to
from dashboards.page import Asked, NotThere, Page, Shown
from dashboards.table import Row

PLACE = "select log_partition, log_offset from int_written_feedback where event_key = ?"
"""Of what is written: by its place on the log the row is found without reading all votes."""
BY_PLACE = "select * from fct_feedback where log_partition = ? and log_offset = ? and event_key = ?"
BY_KEY = "select * from fct_feedback where event_key = ?"

MODES = """
select shown.mode_id, modes.name, shown.confidence from fct_feedback_modes as shown
join dim_failure_modes as modes using (mode_id) where event_key = ? order by rank
"""


def show(asked: Asked) -> Shown:
    """The event that the address names."""
    key = asked.address.text("id")
    place = asked.rows(PLACE, key)
    found = (
        asked.rows(BY_PLACE, place[0]["log_partition"], place[0]["log_offset"], key)
        if place
        else asked.rows(BY_KEY, key)
    )
    if not found:
        raise NotThere(f"no feedback has the key {key!r}: it is source, a bar, and the event's id")
    event = found[0]
    return Shown(
        lead=_lead(event),
        title=f"{event['kind'].capitalize()} of {words.moment(event['happened_at'])}",
        facts={
            "event": event if asked.reads_words else {**event, "text": None},
            "modes": asked.rows(MODES, key),
            "whole": asked.address.choice("all", ("yes",)) == "yes",
            "pairs": _pairs(event, reads=asked.reads_words),
            "all_of_it": to("/event", id=key, all="yes"),
        },
    )


def _lead(event: Row) -> str:
    opinion = {
        True: "Its author is dissatisfied",
        False: "Its author is content",
        None: "Whether its author is content can't be said",
    }
    current = "" if event["is_current"] else ", and a later word has taken its place"
    return f"{opinion[event['is_negative']]}{current}."


def _pairs(event: Row, *, reads: bool) -> list[tuple[str, Any]]:
    vote = event["thumb"] or event["label"] or event["value"]
    return [
        (name, value)
        for name, value in (
            ("vote", None if vote is None else f"{event['metric'] or 'thumb'}: {vote}"), ("source", event["source"]),
            ("author", event["author_id"] if reads else None), ("checkpoint", event["checkpoint_id"]), ("model",
            event["model"]),
            ("language", event["language"]), ("about",
            f"{event['target_kind']} {event['target_id']}" if event["target_id"] else None),
            ("arrived", words.moment(event["received_at"])), ("side", event["side"]), ("event", event["event_id"]),
        )
        if value is not None
    ]  # fmt: skip


PAGE = Page(
    name="event",
    path="/event",
    title="Feedback",
    question="What was said, and of which answer?",
    needs=("fct_feedback", "fct_feedback_modes", "dim_failure_modes", "int_written_feedback"),
    show=show,
    under="feedback",
    live_s=0,
)
