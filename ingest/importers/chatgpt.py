"""ChatGPT's data export: `message_feedback.json`, in both generations of its shape.

The first has `message_id` and `thumbsDown`, the second `id`, `thumbs_up` and a time. What was typed lies in `content`,
which is JSON in a text. Left out: the conversations themselves, another file.
"""

from contextlib import suppress
from typing import Any, cast

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import parse_json, read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target

SOURCE = "import/chatgpt"


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The message as a response, the thumb, the comment, and the tags that were picked. Raises Unfit for other rows."""
    message, conversation = text_of(row.get("message_id") or row.get("id")), text_of(row.get("conversation_id"))
    if message is None or "rating" not in row:
        raise Unfit("not ChatGPT feedback: it needs a message's id and a rating")
    thumb = context.thumb(row["rating"])
    if thumb is None:
        raise Refused(f"the rating {row['rating']!r} is neither up nor down")
    source = context.source(SOURCE)
    given = Given(
        source=source,
        key=("chatgpt", message),
        target=Target(kind="message", id=message),
        author=Author(kind="human", id=author_id(text_of(row.get("user_id")))),
        metric="thumb",
        occurred_at=exported_moment(row.get("update_time") or row.get("create_time")),
        native_id=message,
    )
    found = [
        known_response(source, message, message_id=message, conversation_id=conversation),
        given.thumb(thumb),
    ]
    text, tags = _typed(row.get("content"))
    if text is not None:
        found.append(given.comment(text))
    if tags:
        found.append(given._replace(metric="reason").comment(", ".join(tags)))
    return found


def _typed(content: Any) -> tuple[str | None, list[str]]:
    """(text, tags) of the row's content; a content that is no JSON after all is the text."""
    parsed = content
    if isinstance(content, str):
        parsed = content or None
        with suppress(ValueError):
            parsed = parse_json(content)
    if isinstance(parsed, dict):
        said = cast(Json, parsed)
        tags: Any = said.get("tags")
        names = [str(tag) for tag in cast(list[Any], tags)] if isinstance(tags, list) else []
        return (said["text"] if isinstance(said.get("text"), str) else None), names
    return (parsed if isinstance(parsed, str) else None), []


CHATGPT = Importer(
    "chatgpt",
    "Feedback out of ChatGPT's data export: message_feedback.json",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("conversation_id", "rating", "content"),
)
