"""Langfuse scores: the blob storage export (JSON lines) and the public API (a document with `data`, v2 and v3).

A row that changed keeps its id and gives another event: the newest of an author counts. Scores of users, of reviewers
and of evaluators come from sources of their own, so that none hides another. Left out: traces and prompts.
"""

from typing import Any, cast

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import read_lines_or_data
from ingest.importers.moments import exported_moment
from ingest.importers.sample import Sample
from ingest.importers.votes import Score, Thumb, as_float, is_thumb_name, read_score, read_thumb
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, AuthorKind, Target

SOURCE = "import/langfuse"


def events(row: Json, context: Context) -> list[AnyEvent]:
    """Thumb or score, its comment, and the response where its trace is known. Raises Unfit for another kind of row."""
    name, authority = text_of(row.get("name")), text_of(row.get("source"))
    data_type = text_of(_either(row, "data_type", "dataType"))
    if not (name and authority and data_type):
        raise Unfit("not a Langfuse score: it needs name, source and data_type")
    trace, observation, session = _subject(row)
    project = context.options.get("source") or text_of(_either(row, "project_id", "projectId")) or "unknown"
    if observation or trace:
        target = Target(kind="span", id=observation) if observation else Target(kind="trace", id=str(trace))
    elif session:
        target = Target(kind="conversation", id=session)
    else:
        raise Refused("the score names no trace, observation or session: export it with its subject")
    given = _given(row, context, project, name, target)
    found: list[AnyEvent] = []
    if trace:
        found.append(known_response(f"{SOURCE}/{project}", trace, trace_id=trace, conversation_id=session))
    thumb = _thumb(row, name, data_type, given.author.kind)
    if thumb is not None:
        found.append(given.thumb(thumb))
    elif data_type == "TEXT":
        found.append(given.comment(str(_either(row, "string_value", "stringValue", "value") or "")))
    else:
        found.append(given.score(_score(row, data_type)))
    comment = row.get("comment")
    if isinstance(comment, str):
        found.append(given.comment(comment))
    return found


def _given(row: Json, context: Context, project: str, name: str, target: Target) -> Given:
    native_id = text_of(row.get("id"))
    occurred_at = exported_moment(_either(row, "timestamp", "created_at", "createdAt"))
    updated_at = exported_moment(_either(row, "updated_at", "updatedAt"))
    return Given(
        source=f"{SOURCE}/{project}/{str(row['source']).lower()}",
        key=("langfuse", project, native_id) if native_id else ("langfuse", project, *context.occurrence(row)),
        target=target,
        author=_author(row, name),
        metric=name,
        occurred_at=occurred_at,
        native_id=native_id,
        sequence=round(updated_at.timestamp() * 1000) if updated_at else None,
    )


def _subject(row: Json) -> tuple[str | None, str | None, str | None]:
    """(trace, observation, session): beside the score in exports, under `subject` in API v3."""
    trace, observation, session = (
        text_of(_either(row, snake, camel))
        for snake, camel in (("trace_id", "traceId"), ("observation_id", "observationId"), ("session_id", "sessionId"))
    )
    subject = row.get("subject")
    if isinstance(subject, dict):
        named = cast(Json, subject)
        kind, id_ = named.get("kind"), text_of(named.get("id"))
        trace = id_ if kind == "trace" else text_of(named.get("traceId")) or trace
        observation = id_ if kind == "observation" else observation
        session = id_ if kind == "session" else session
    return trace, observation, session


def _author(row: Json, name: str) -> Author:
    """A reviewer, an evaluator model, or the product's user; what a program sends without a user is a program's."""
    authority = str(row.get("source")).upper()
    metadata: Json = cast(Json, row.get("metadata")) if isinstance(row.get("metadata"), dict) else {}
    reviewer, user = (
        text_of(_either(row, "author_user_id", "authorUserId")),
        text_of(_either(metadata, "user_id", "userId")),
    )
    if authority == "EVAL":
        return Author(kind="llm")
    if authority == "ANNOTATION":
        return Author(kind="human", id=author_id(reviewer))
    kind: AuthorKind = "human" if user or is_thumb_name(name) else "code"
    return Author(kind=kind, id=author_id(user or reviewer))


def _thumb(row: Json, name: str, data_type: str, author: AuthorKind) -> Thumb | None:
    """The thumb, where a person gave it under a thumb's name and the value is one."""
    if author != "human" or not is_thumb_name(name) or data_type not in ("BOOLEAN", "NUMERIC", "CATEGORICAL"):
        return None
    value = row.get("value")
    return read_thumb(_either(row, "string_value", "stringValue") if value is None else value)


def _score(row: Json, data_type: str) -> Score:
    value, text = row.get("value"), _either(row, "string_value", "stringValue")
    if data_type == "CORRECTION":
        correction = text if isinstance(text, str) else value
        return Score("correction", label=correction if isinstance(correction, str) else None)
    if data_type == "CATEGORICAL":
        label = value if isinstance(value, str) else text
        number = None if isinstance(value, str) else as_float(value)
        if label is None and number is None:
            return Score("categorical", status="skipped")
        return Score("categorical", number, None if label is None else str(label))
    if data_type == "BOOLEAN":
        thumb = read_thumb(text if value is None else value)
        if thumb is None:
            raise Refused(f"the boolean {value!r} is neither true nor false")
        return Score("boolean", status="skipped") if thumb == "cleared" else Score("boolean", float(thumb == "up"))
    if data_type == "NUMERIC":
        number = as_float(value)
        if value is not None and number is None:
            raise Refused(f"the number {value!r} is none")
        return Score("numeric", number, status="scored" if number is not None else "skipped")
    return read_score(value)


def _either(row: Json, *names: str) -> Any:
    """The first of `names` that the row has a value for: exports and API spell the same fields differently."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def _fits(sample: Sample) -> bool:
    return any(sample.any_row("name", "source", kind, under="data") for kind in ("data_type", "dataType"))


LANGFUSE = Importer(
    "langfuse",
    "Scores from the blob storage export or the public API: scores.jsonl.gz, scores.json",
    read_lines_or_data,
    events,
    SOURCE,
    fits=_fits,
)
