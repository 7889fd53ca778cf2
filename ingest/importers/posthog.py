"""PostHog events: what people said of an answer (`$ai_metric`, `$ai_feedback`, a survey that was sent).

Every other event of the product is a row without feedback. Left out: generations (`$ai_generation`).
"""

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Refused, Unfit, inner, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score, as_float, is_thumb_name, read_thumb
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target

SOURCE = "import/posthog"
SURVEY = "$survey_response"


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The trace as a response, and what was said of it. Raises Unfit for other rows, Refused for one on no trace."""
    name, person = text_of(row.get("event")), text_of(row.get("distinct_id"))
    if name is None or "properties" not in row:
        raise Unfit("not a PostHog event: it needs event and properties")
    said = inner(row, "properties")
    if name not in ("$ai_metric", "$ai_feedback") and not (name == "survey sent" and "$ai_trace_id" in said):
        return []
    trace, session = text_of(said.get("$ai_trace_id")), text_of(said.get("$ai_session_id"))
    if trace is None:
        raise Refused(f"the {name} names no $ai_trace_id: nobody can tell what it is about")
    source, native_id = context.source(SOURCE), text_of(row.get("uuid"))
    given = Given(
        source=source,
        key=("posthog", native_id) if native_id else ("posthog", *context.occurrence(row)),
        target=Target(kind="trace", id=trace),
        author=Author(kind="human", id=author_id(person)),
        metric=text_of(said.get("$ai_metric_name")) or "feedback",
        occurred_at=exported_moment(row.get("timestamp")),
        native_id=native_id,
    )
    response = known_response(source, trace, trace_id=trace, conversation_id=session)
    if name == "$ai_metric":
        return [response, _metric(said, given)]
    if name == "$ai_feedback":
        text = said.get("$ai_feedback_text")
        return [response, given.comment(text)] if isinstance(text, str) else []
    return [response, *_survey(said, given)]


def _metric(said: Json, given: Given) -> AnyEvent:
    """`good` and `bad` are a person's verdict, whatever the metric is called; other words are labels."""
    value = said.get("$ai_metric_value")
    word = read_thumb(value) if isinstance(value, str) and as_float(value) is None else None
    if word in ("up", "down") and not is_thumb_name(given.metric):
        return given.score(Score("boolean", float(word == "up"), str(value)))
    number = as_float(value) if isinstance(value, str) else None
    return given.verdict(value if number is None else number)


def _survey(said: Json, given: Given) -> list[AnyEvent]:
    """The answers of a survey, each question a metric of its own. What was typed in words is a comment."""
    survey, found = text_of(said.get("$survey_id")) or "survey", list[AnyEvent]()
    for field in sorted(field for field in said if field.startswith(SURVEY)):
        question = field.removeprefix(SURVEY).strip("_")
        each = given._replace(metric=f"survey/{survey}" + (f"/{question}" if question else ""))
        answers = said[field] if isinstance(said[field], list) else [said[field]]
        for answer in answers:
            number = as_float(answer)
            if number is not None:
                found.append(each.score(Score("numeric", number)))
            elif isinstance(answer, str):
                found.append(each.comment(answer))
    return found


POSTHOG = Importer(
    "posthog",
    "Events of LLM observability and surveys: events.jsonl",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("event", "distinct_id", "properties"),
)
