"""Open WebUI feedback, as its evaluations page exports it: a rating, a reason, a comment, and in an arena a preference.

Every field that a person typed or picked becomes an event. Ratings are numbers or texts and mean what the row's
`version` says. Left out: the snapshot of the chat.
"""

from ingest.importers.authors import author_id
from ingest.importers.base import UNNAMED, Context, Importer, Unfit, inner, listed, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score, as_float
from models.events import AnyEvent
from models.events.base import Json
from models.events.preference import PreferenceGiven
from models.feedback import Author, Target

SOURCE = "import/openwebui"
DETAILS_SCALE = (1.0, 10.0)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The message as a response, and all that was said of it. Raises Unfit for another kind of row."""
    said, meta = inner(row, "data"), inner(row, "meta")
    message = text_of(meta.get("message_id"))
    if not said or message is None or "user_id" not in row:
        raise Unfit("not Open WebUI feedback: it needs user_id, data and meta.message_id")
    source, native_id = context.source(SOURCE), text_of(row.get("id"))
    given = Given(
        source=source,
        key=("openwebui", native_id) if native_id else ("openwebui", *context.occurrence(row)),
        target=Target(kind="message", id=message),
        author=Author(kind="human", id=author_id(text_of(row["user_id"]))),
        metric="thumb",
        occurred_at=exported_moment(row.get("updated_at") or row.get("created_at")),
        native_id=native_id,
    )
    chat, model = text_of(meta.get("chat_id")), text_of(said.get("model_id"))
    found = [known_response(source, message, message_id=message, conversation_id=chat, model=model)]
    if "rating" in said:
        thumb = context.thumb(said["rating"], text_of(row.get("version")) or "0", producer="openwebui")
        if thumb is not None:
            found.append(given.thumb(thumb))
        if said.get("sibling_model_ids"):
            found += _preferences(said, given, thumb, chat)
    return [*found, *_words(said, meta, given)]


def _words(said: Json, meta: Json, given: Given) -> list[AnyEvent]:
    """The comment, the reason that was picked, the finer rating, and the chat's tags."""
    found: list[AnyEvent] = []
    if isinstance(said.get("comment"), str):
        found.append(given.comment(said["comment"]))
    reason = text_of(said.get("reason"))
    if reason:
        found.append(given._replace(metric="reason").comment(reason))
    finer = as_float(inner(said, "details").get("rating"))
    if finer is not None:
        found.append(given._replace(metric="rating").score(Score("numeric", finer), DETAILS_SCALE))
    for where, metric, author in ((said, "tags", given.author), (meta, "chat_tags", Author(kind="llm"))):
        tags = [str(tag) for tag in listed(where, "tags")]
        if tags:
            found.append(
                given._replace(metric=metric, author=author).score(Score("categorical", label=", ".join(tags)))
            )
    return found


def _preferences(said: Json, given: Given, thumb: str | None, chat: str | None) -> list[AnyEvent]:
    """In an arena a thumb is a preference over the answers that stood beside it. Their ids are not in the export: each
    is named by the message and its model."""
    found: list[AnyEvent] = []
    for sibling in listed(said, "sibling_model_ids"):
        other = f"{given.target.id}/{sibling}"
        preference = PreferenceGiven(
            id=UNNAMED,
            source=given.source,
            occurred_at=given.occurred_at,
            first=given.target,
            second=Target(kind="response", id=other),
            author=given.author,
            choice={"up": "first", "down": "second"}.get(thumb or ""),  # type: ignore[arg-type]
            status="given" if thumb in ("up", "down") else "skipped",
            metric="arena",
            native_id=given.native_id,
        )
        found.append(known_response(given.source, other, conversation_id=chat, model=text_of(sibling)))
        found.append(given._replace(key=(*given.key, other)).with_id(preference))
    return found


OPENWEBUI = Importer(
    "openwebui",
    "Feedback as the evaluations page exports it: feedbacks.json",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("user_id", "type", "data", "meta"),
)
