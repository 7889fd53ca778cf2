"""LangSmith feedback: one JSON line (or a member of an array) for each feedback on a run.

`session_id` is LangSmith's name for a project, not a conversation. Left out: comparisons of two experiments.
"""

from typing import Any, cast

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score, is_thumb_name, read_score, read_thumb
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target
from models.ids import canonical_json

SOURCE = "import/langsmith"
CORRECTION = "correction"
"""The metric of a corrected answer: under the feedback's own key it would take the place of the score."""


def events(row: Json, context: Context) -> list[AnyEvent]:
    """Thumb or score, comment, correction, and the response. Raises Unfit for another kind of row."""
    key = text_of(row.get("key"))
    if key is None or "score" not in row or "run_id" not in row:
        raise Unfit("not LangSmith feedback: it needs key, score and run_id")
    run, trace = text_of(row["run_id"]), text_of(row.get("trace_id"))
    if run is None:
        raise Refused("the feedback is on a project, not on a run")
    project = context.options.get("source") or text_of(row.get("session_id")) or "unknown"
    given = _given(row, context, project, key, Target(kind="trace" if run == trace else "span", id=run))
    found: list[AnyEvent] = []
    if trace:
        found.append(known_response(f"{SOURCE}/{project}", trace, trace_id=trace))
    found += _verdict(row, given)
    comment = row.get("comment")
    if isinstance(comment, str):
        found.append(given.comment(comment))
    correction = _correction(row.get("correction"))
    if correction is not None:
        found.append(given._replace(metric=CORRECTION).score(Score("correction", label=correction)))
    return found


def _given(row: Json, context: Context, project: str, key: str, target: Target) -> Given:
    native_id = text_of(row.get("id"))
    feedback_source: Json = cast(Json, row["feedback_source"]) if isinstance(row.get("feedback_source"), dict) else {}
    authority = text_of(feedback_source.get("type")) or "api"
    user = text_of(feedback_source.get("user_id"))
    if authority in ("model", "auto_eval"):
        author = Author(kind="llm")
    else:
        person = authority == "app" or user is not None or is_thumb_name(key)
        author = Author(kind="human" if person else "code", id=author_id(user))
    return Given(
        source=f"{SOURCE}/{project}/{authority}",
        key=("langsmith", native_id) if native_id else ("langsmith", *context.occurrence(row)),
        target=target,
        author=author,
        metric=key,
        occurred_at=exported_moment(row.get("modified_at") or row.get("created_at")),
        native_id=native_id,
    )


def _verdict(row: Json, given: Given) -> list[AnyEvent]:
    """The vote or score. A person's row that only comments or corrects is no vote, and withdraws none."""
    score, value = row["score"], row.get("value")
    given_value = value if score is None else score
    if given_value is None and (row.get("comment") is not None or row.get("correction") is not None):
        return []
    if given.author.kind == "human" and is_thumb_name(given.metric):
        thumb = read_thumb(given_value)
        if thumb is not None:
            return [given.thumb(thumb)]
    verdict = read_score(given_value)
    if score is not None and isinstance(value, str):
        verdict = verdict._replace(label=value)
    return [given.score(verdict)]


def _correction(correction: Any) -> str | None:
    """The corrected text: of a mapping with one text in it that text, of anything else its JSON."""
    if correction is None or isinstance(correction, str):
        return correction
    if isinstance(correction, dict):
        values = list(cast(Json, correction).values())
        if len(values) == 1 and isinstance(values[0], str):
            return values[0]
    return canonical_json(correction)


LANGSMITH = Importer(
    "langsmith",
    "Feedback on runs, as list_feedback gives it: feedback.jsonl",
    read_lines_or_data,
    events,
    SOURCE,
    fits=with_keys("key", "score", "run_id", under="data"),
)
