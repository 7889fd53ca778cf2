"""Intercom: the history of conversations as connectors copy it (CSV), one row a version of a conversation.

The rating of a conversation and the remark are feedback; a version without a rating is a row without feedback, and the
same rating in several versions is one. Left out: what was written in the conversation.
"""

from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.exposures import read as read_rows
from ingest.importers.feedback import Given, known_response
from ingest.importers.folders import in_folder
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_columns
from ingest.importers.votes import Score, as_float
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target

SOURCE = "import/intercom"
FILES = "conversation_history*.csv"
SCALE = (1.0, 5.0)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The conversation, its rating and the remark. Raises Unfit for another kind of row."""
    conversation = text_of(row.get("id"))
    if conversation is None or "conversation_rating_value" not in row:
        raise Unfit("not a conversation of Intercom: it needs id and conversation_rating_value")
    value, remark = text_of(row["conversation_rating_value"]), text_of(row.get("conversation_rating_remark"))
    if value is None and remark is None:
        return []
    number = as_float(value)
    if value is not None and (number is None or not SCALE[0] <= number <= SCALE[1]):
        raise Refused(f"the rating {value!r} is no number from 1 to 5")
    source = context.source(SOURCE)
    given = Given(
        source=source,
        key=("intercom", conversation),
        target=Target(kind="conversation", id=conversation),
        author=Author(kind="human", id=text_of(row.get("source_author_id"))),
        metric="conversation_rating",
        occurred_at=exported_moment(row.get("conversation_rating_created_at")),
        native_id=conversation,
    )
    found = [known_response(source, conversation, conversation_id=conversation)]
    if number is not None:
        found.append(given.score(Score("numeric", number), SCALE))
    if remark is not None:
        found.append(given.comment(remark))
    return found


INTERCOM = Importer(
    "intercom",
    "Conversations with their ratings, a connector's table or its folder: conversation_history.csv",
    in_folder(FILES, read_rows),
    events,
    SOURCE,
    fits=with_columns("conversation_rating_value", "conversation_rating_remark"),
    folder=FILES,
)
