"""Helicone feedback: a rating of a request, true or false, one JSON line (or a member of an array) each.

Helicone knows neither an id of the vote nor who gave it: the request's id stands for both, and the newest counts.
"""

from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target

SOURCE = "import/helicone"


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The request as a response, and its thumb: null takes it back. Raises Unfit for another kind of row."""
    request = text_of(row.get("helicone-id"))
    if request is None or "rating" not in row:
        raise Unfit("not Helicone feedback: it needs helicone-id and rating")
    thumb = context.thumb(row["rating"])
    if thumb is None:
        raise Refused(f"the rating {row['rating']!r} is neither true, false nor null")
    source = context.source(SOURCE)
    given = Given(
        source=source,
        key=("helicone", request, str(row.get("created_at"))),
        target=Target(kind="response", id=request),
        author=Author(kind="human"),
        metric="thumb",
        occurred_at=exported_moment(row.get("created_at")),
        native_id=request,
    )
    return [known_response(source, request), given.thumb(thumb)]


HELICONE = Importer(
    "helicone",
    "Ratings of requests: feedback.jsonl",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("helicone-id", "rating"),
)
