"""Braintrust feedback on logged rows: scores between 0 and 1, a comment, an expected answer, one JSON line each.

Several people's rows have one id, that of the logged row: each stays. Left out: tags of the row, which no person gave.
"""

from typing import cast

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Unfit, inner, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target
from models.ids import canonical_json

SOURCE = "import/braintrust"
SCALE = (0.0, 1.0)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The row as a response, its scores, comment and expected answer. Raises Unfit for another kind of row."""
    logged = text_of(row.get("id"))
    if logged is None or not isinstance(row.get("scores"), dict | None) or not row.keys() & {"scores", "comment"}:
        raise Unfit("not Braintrust feedback: it needs id and scores")
    source, user = context.source(SOURCE), author_id(text_of(inner(row, "metadata").get("user_id")))
    authority = (text_of(row.get("source")) or "api").lower()
    given = Given(
        source=f"{source}/{authority}",
        key=("braintrust", logged, *context.occurrence(row)),
        target=Target(kind="response", id=logged),
        author=Author(kind="human" if user or authority in ("app", "external") else "code", id=user),
        metric="comment",
        occurred_at=exported_moment(row.get("created")),
        native_id=f"{logged}/{user}" if user else None,
    )
    found: list[AnyEvent] = [known_response(source, logged)]
    for name, value in cast(Json, row.get("scores") or {}).items():
        found.append(given._replace(metric=name).verdict(value, scale=SCALE))
    if isinstance(row.get("comment"), str):
        found.append(given.comment(row["comment"]))
    if (expected := row.get("expected")) is not None:
        label = expected if isinstance(expected, str) else canonical_json(expected)
        found.append(given._replace(metric="correction").score(Score("correction", label=label)))
    return found


BRAINTRUST = Importer(
    "braintrust",
    "Feedback on logged rows, as logFeedback takes it: feedback.jsonl",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("id", "scores", "source"),
)
