"""One response: what was asked and answered, and everything that was said of it."""

from typing import Any

from dashboards import words
from dashboards.listing import CSV_ROWS, listing
from dashboards.page import Asked, NotThere, Page, Shown
from dashboards.table import Column, Row

ONE = "select * from fct_responses where response_id = ?"
TEXTS = "select prompt, completion from int_responses where response_id = ? and received_at = ?"
"""By its arrival as well, in which order the responses lie."""

PLACES = f"""
select log_partition, log_offset from base_feedback where target_hash in (select hash(unnest(?::varchar[])))
limit {CSV_ROWS}
"""
"""Where on the log it may be talked of. By numbers: to compare the ids of 45 million votes takes a second and more."""

IDS = ("response_id", "message_id", "trace_id", "span_id", "conversation_id")
"""What feedback on a response may name it by."""

FEEDBACK = """
select event_key, kind, happened_at, received_at, coalesce(thumb, label, value::varchar) as vote, text,
  case when is_negative then 'negative' when not is_negative then 'positive' else 'unknown' end as opinion,
  case when is_current then 'current' else 'superseded' end as state, source, author_id
from fct_feedback
semi join (select unnest(?::integer[]) as log_partition, unnest(?::bigint[]) as log_offset) as places
  using (log_partition, log_offset)
where response_id = ?
"""

COLUMNS = (
    Column("happened_at", "when", "moment", link="/event", link_by="event_key"),
    Column("kind", "kind"),
    Column("vote", "vote"),
    Column("text", "what was said", "words", sortable=False),
    Column("opinion", "opinion", "state"),
    Column("state", "state", "state"),
    Column("source", "source"),
    Column("author_id", "author", "words", sortable=False),
)


def show(asked: Asked) -> Shown:
    """The response that the address names."""
    response_id = asked.address.text("id")
    found = asked.rows(ONE, response_id)
    if not found:
        raise NotThere(f"no response has the id {response_id!r}")
    one = found[0]
    places = asked.rows(PLACES, tuple(one[name] for name in IDS if one[name]))
    partitions, offsets = (tuple(place[name] for place in places) for name in ("log_partition", "log_offset"))
    table = listing(
        asked, "feedback", "Everything that was said of it, newest first", COLUMNS, FEEDBACK,
        [partitions, offsets, response_id],
        order="happened_at desc, event_key", counted=False, empty="Nothing yet.", mart="fct_feedback",
    )  # fmt: skip
    texts = (
        asked.rows(TEXTS, response_id, one["received_at"]) if asked.reads_words and asked.has("int_responses") else []
    )
    return Shown(
        lead=_lead(one),
        title=response_id,
        tables=(table,),
        facts={
            "one": one, "pairs": _pairs(one), "texts": texts[0] if texts else {"prompt": None, "completion": None},
            "whole": asked.address.choice("all", ("yes",)) == "yes", "all_of_it": asked.address.but(all="yes"),
        },
    )  # fmt: skip


def _lead(one: Row) -> str:
    score = (
        ""
        if one["mean_score"] is None
        else f"; the mean of {words.count(one['scored'], 'score')} is {words.figure(one['mean_score'])}"
    )
    votes = f"{one['thumbs_up']:,} up and {one['thumbs_down']:,} down"
    return f"{words.count(one['raters'], 'person', 'people')} voted on this answer: {votes}{score}."


def _pairs(one: Row) -> list[tuple[str, Any]]:
    variant = f"{one['experiment_id']}: {one['variant']}" if one["experiment_id"] else None
    cost = None if one["cost_usd"] is None else f"{one['cost_usd']:.4f} USD"
    latency = None if one["latency_ms"] is None else f"{one['latency_ms']:,.0f} ms"
    return [
        (name, value)
        for name, value in (
            ("model", one["model"]), ("checkpoint", one["checkpoint_id"]), ("experiment", variant), ("audience",
            one["audience"]),
            ("language", one["language"]), ("latency", latency), ("cost", cost), ("tool calls", one["tool_calls"]),
            ("conversation", one["conversation_id"]), ("served",
            words.moment(one["occurred_at"] or one["received_at"])),
            ("side", one["side"]),
        )
        if value is not None
    ]  # fmt: skip


PAGE = Page(
    name="response",
    path="/response",
    title="Response",
    question="What was answered, and what was said of it?",
    needs=("fct_responses", "fct_feedback", "base_feedback"),
    show=show,
    under="feedback",
    live_s=15,
)
