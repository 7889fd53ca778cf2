"""OpenTelemetry logs as JSON: the evaluations among them (`gen_ai.evaluation.result`), a row each.

A person's thumb under a thumb's name is a thumb. Every other log record is a row without feedback.
"""

from typing import Any

from ingest.importers.authors import author_id
from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.feedback import Given, known_response
from ingest.importers.json_rows import reading
from ingest.importers.otlp import attributes, moment, scoped
from ingest.importers.sample import with_keys
from ingest.importers.votes import Score, as_float, is_thumb_name
from models.events import AnyEvent
from models.events.base import Json
from models.feedback import Author, Target

SOURCE = "import/otlp"
RESULT = "gen_ai.evaluation.result"


def rows(document: Json) -> list[Any]:
    """The log records of a document, or of a line of the collector's file exporter."""
    return scoped(document, "resourceLogs", "scopeLogs", "logRecords") if "resourceLogs" in document else [document]


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The response, its evaluation, and the explanation. Raises Unfit for what is no log record."""
    if "scope" not in row or "resource" not in row:
        raise Unfit("not OTLP logs: it needs resourceLogs")
    said = attributes(row.get("attributes"))
    if RESULT not in (row.get("eventName"), said.get("event.name")):
        return []
    metric = text_of(said.get("gen_ai.evaluation.name"))
    if metric is None:
        raise Refused("the evaluation has no gen_ai.evaluation.name")
    response, trace, span = (
        text_of(said.get("gen_ai.response.id")),
        text_of(row.get("traceId")),
        text_of(row.get("spanId")),
    )
    if not (response or span or trace):
        raise Refused("the evaluation names no response, span or trace")
    service = text_of(attributes(row.get("resource")).get("service.name"))
    source = context.source(SOURCE if service is None else f"{SOURCE}/{service}")
    user = author_id(text_of(said.get("user.id")) or text_of(said.get("enduser.id")))
    human = is_thumb_name(metric) or user is not None
    given = Given(
        source=source,
        key=("otlp", *context.occurrence(row)),
        target=_target(response, span, trace),
        author=Author(kind="human", id=user) if human else Author(kind="code", id=text_of(row.get("scope"))),
        metric=metric,
        occurred_at=moment(row.get("timeUnixNano") or row.get("observedTimeUnixNano")),
        native_id=None,
    )
    found = [
        known_response(
            source,
            response or span or trace or "",
            trace_id=trace,
            span_id=span,
            conversation_id=text_of(said.get("gen_ai.conversation.id")),
        )
    ]
    explanation = said.get("gen_ai.evaluation.explanation")
    found += _verdict(said, given, explained=explanation is not None)
    if isinstance(explanation, str):
        found.append(given.comment(explanation))
    return found


def _verdict(said: Json, given: Given, *, explained: bool) -> list[AnyEvent]:
    """An evaluation that failed is an error and no zero; one that only explains withdraws nothing."""
    value, label = said.get("gen_ai.evaluation.score.value"), text_of(said.get("gen_ai.evaluation.score.label"))
    if said.get("error.type") is not None:
        return [given.score(Score("numeric", label=str(said["error.type"]), status="errored"))]
    if value is None and label is None and explained:
        return []
    number = as_float(value)
    return [given.verdict(number if number is not None else value, label)]


def _target(response: str | None, span: str | None, trace: str | None) -> Target:
    if response:
        return Target(kind="response", id=response)
    return Target(kind="span", id=span) if span else Target(kind="trace", id=trace or "")


OTLP_LOGS = Importer(
    "otlp-logs",
    "Evaluations in OpenTelemetry logs, OTLP as JSON: logs.json",
    reading(rows),
    events,
    SOURCE,
    fits=with_keys("resourceLogs"),
)
