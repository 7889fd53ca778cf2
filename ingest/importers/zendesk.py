"""Zendesk: satisfaction ratings (the API's document), and the tables that connectors copy (a folder of CSV files).

A ticket is a report, what its requester wrote later a comment on it, a rating the customer's satisfaction: good, bad,
or offered and not answered, which is no bad one. Agents' words, private notes and chats are rows without feedback.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from ingest.importers.base import UNNAMED, Context, Importer, Options, Refused, Row, Unfit, text_of
from ingest.importers.csv_rows import read_table
from ingest.importers.feedback import Given, known_response
from ingest.importers.folders import in_folder
from ingest.importers.json_rows import reading, under
from ingest.importers.moments import exported_moment
from ingest.importers.sample import Sample
from ingest.importers.votes import Score
from models.events import AnyEvent
from models.events.base import Json
from models.events.report import ReportFiled
from models.feedback import Author, Target

SOURCE = "import/zendesk"
FILES = "*_data.csv"
CONTEXT = ("user_data.csv", "ticket_data.csv")
"""Tables that the others are read with."""

THEIRS = ("ticket_id", "ticket_form_id", "brand_url", "shared_tickets", "ticket_restriction", "chat_index")
"""Columns that tell tables of Zendesk from others."""

SCORES = {
    "good": Score("boolean", 1.0, "good"),
    "good_with_comment": Score("boolean", 1.0, "good"),
    "bad": Score("boolean", 0.0, "bad"),
    "bad_with_comment": Score("boolean", 0.0, "bad"),
    "offered": Score("boolean", label="offered", status="skipped"),
    "unoffered": Score("boolean", label="unoffered", status="skipped"),
}


def _read(path: Path, options: Options) -> Iterator[Row]:
    if path.name.removesuffix(".gz").endswith(".csv"):
        yield from read_table(path).rows
    else:
        yield from _ratings(path, options)


_ratings = reading(under("satisfaction_ratings"))


def events(row: Json, context: Context) -> list[AnyEvent]:
    """What a row of one of the tables says; nothing for those about people and tags. Raises Unfit for other rows."""
    if {"score", "ticket_id"} <= row.keys():
        return _rating(row, context)
    if {"requester_id", "subject", "description"} <= row.keys():
        return _ticket(row, context)
    if {"body", "public", "ticket_id"} <= row.keys():
        return _comment(row, context)
    if {"field_name", "ticket_id", "value"} <= row.keys():
        return _history(row, context)
    if {"id", "role"} <= row.keys():
        context.texts[f"role/{row['id']}"] = str(row["role"])
        return []
    if row.keys() & {"ticket_id", "chat_id", "_fivetran_synced"}:
        return []
    raise Unfit("not a row of Zendesk: neither a rating, nor a ticket, comment, user or tag")


def _given(  # noqa: PLR0917 - the row, and what each kind of row calls otherwise
    row: Json, context: Context, native_id: str, ticket: str, person: str | None, at: datetime | None
) -> Given:
    updated_at = exported_moment(row.get("updated_at"))
    return Given(
        source=context.source(SOURCE),
        key=("zendesk", native_id),
        target=Target(kind="conversation", id=ticket),
        author=Author(kind="human", id=person),
        metric="csat",
        occurred_at=at,
        native_id=native_id,
        sequence=round(updated_at.timestamp() * 1_000) if updated_at else None,
    )


def _rating(row: Json, context: Context) -> list[AnyEvent]:
    ticket, score = text_of(row.get("ticket_id")), text_of(row.get("score"))
    if ticket is None or score is None:
        raise Refused("the rating names no ticket or no score")
    if score not in SCORES:
        raise Refused(f"the score {score!r} is none of {', '.join(SCORES)}")
    at = exported_moment(row.get("updated_at") or row.get("created_at"))
    given = _given(row, context, f"rating/{row.get('id')}", ticket, text_of(row.get("requester_id")), at)
    found = [known_response(given.source, ticket, conversation_id=ticket), given.score(SCORES[score])]
    for field, metric in (("comment", "csat"), ("reason", "csat_reason")):
        text = row.get(field)
        if isinstance(text, str) and (text or field == "comment"):
            found.append(given._replace(metric=metric).comment(text))
    return found


def _ticket(row: Json, context: Context) -> list[AnyEvent]:
    ticket, person = text_of(row.get("id")), text_of(row.get("requester_id"))
    if ticket is None:
        raise Refused("the ticket has no id")
    words = [str(row[name]) for name in ("subject", "description") if text_of(row.get(name))]
    context.texts[f"ticket/{ticket}"] = words[-1] if words else ""
    context.texts[f"requester/{ticket}"] = person or ""
    if row.get("status") == "deleted":
        raise Refused("the ticket was deleted in Zendesk")
    given = _given(row, context, f"ticket/{ticket}", ticket, person, exported_moment(row.get("created_at")))
    report = ReportFiled(
        id=UNNAMED,
        source=given.source,
        occurred_at=given.occurred_at,
        author=given.author,
        kind="dogfood",
        text="\n\n".join(words),
        link=text_of(row.get("url")),
        sequence=given.sequence,
        native_id=given.native_id,
    )
    return [given.with_id(report)]


def _comment(row: Json, context: Context) -> list[AnyEvent]:
    """A customer's words: of the ticket's requester where the ticket is known, else of one who is no agent."""
    ticket, person = text_of(row.get("ticket_id")), text_of(row.get("user_id"))
    requester = context.texts.get(f"requester/{ticket}")
    role = context.texts.get(f"role/{person}", "end-user")
    ours = person != requester if requester else role != "end-user"
    if ticket is None or ours or str(row["public"]).lower() != "true":
        return []
    if row["body"] == context.texts.get(f"ticket/{ticket}"):
        return []  # Zendesk repeats a ticket's description as its first comment
    given = _given(row, context, f"comment/{row.get('id')}", ticket, person, exported_moment(row.get("created")))
    return [
        known_response(given.source, ticket, conversation_id=ticket),
        given._replace(metric="comment").comment(str(row["body"])),
    ]


def _history(row: Json, context: Context) -> list[AnyEvent]:
    """Of all that changed in a ticket the satisfaction alone is feedback."""
    score = SCORES.get(str(row["value"]))
    if row["field_name"] not in ("satisfaction_score", "satisfaction_rating") or score is None:
        return []
    ticket = str(row["ticket_id"])
    person = text_of(row.get("user_id")) or context.texts.get(f"requester/{ticket}") or None
    at = exported_moment(row.get("updated"))
    given = _given(row, context, f"history/{ticket}/{row.get('updated')}", ticket, person, at)
    return [known_response(given.source, ticket, conversation_id=ticket), given.score(score)]


def _fits(sample: Sample) -> bool:
    """Ratings, or a table that a connector brought: of Zendesk by a column that no other tool's has, or by its name."""
    if sample.any_row("ticket_id", "score", under="satisfaction_ratings"):
        return True
    theirs = sample.table("id") and any("zendesk.com/" in str(cell) for row in sample.rows for cell in row.values())
    return any("_synced" in column for column in sample.columns) and (theirs or bool({*sample.columns} & {*THEIRS}))


ZENDESK = Importer(
    "zendesk",
    "Satisfaction ratings, or the folder of a connector's tables: satisfaction_ratings.json, zendesk/",
    in_folder(FILES, _read, CONTEXT),
    events,
    SOURCE,
    fits=_fits,
    folder=FILES,
)
