"""OpenTelemetry traces as JSON, by the conventions for generative AI: a trace is a row.

A chat span is a response. A trace with an agent in it is a rollout too, its spans the steps: what a tool span says of
its status is the step's. Left out: spans that are none of chat, agent and tool; the texts, where tracing left them out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.importers.base import UNNAMED, Context, Importer, Options, Row, Unfit, identified, inner, text_of
from ingest.importers.json_rows import reading
from ingest.importers.messages import with_room
from ingest.importers.otlp import EPOCH, attributes, moment, scoped
from ingest.importers.sample import with_keys
from ingest.importers.votes import as_float
from models.events import AnyEvent
from models.events.base import Json
from models.events.response import ResponseServed
from models.events.rollout import RolloutRecorded, Step, ToolCall
from models.ids import canonical_json

SOURCE = "import/otlp"
CHAT = ("chat", "text_completion", "generate_content")


def read(path: Path, options: Options) -> Iterator[Row]:
    """Traces, each with all its spans in the file, in the order in which they are met."""
    spans: dict[str, Row] = {}
    for row in _spans(path, options):
        trace = text_of((row.content or {}).get("traceId"))
        if row.content is None or trace is None:
            yield row._replace(number=0)
        elif trace in spans:
            spans[trace].content["spans"].append(row.content)  # type: ignore[index]
        else:
            spans[trace] = row._replace(content={"traceId": trace, "spans": [row.content]})
    for number, row in enumerate(spans.values(), 1):
        yield row._replace(number=number)


_spans = reading(
    lambda document: (
        scoped(document, "resourceSpans", "scopeSpans", "spans") if "resourceSpans" in document else [document]
    )
)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The trace's responses, and its rollout where an agent was at work. Raises Unfit for what is no trace."""
    if "spans" not in row:
        raise Unfit("not OTLP traces: it needs resourceSpans")
    spans = sorted(row["spans"], key=lambda span: moment(span.get("startTimeUnixNano")) or EPOCH)
    said = [(span, attributes(span.get("attributes"))) for span in spans]
    service = text_of(attributes(spans[0].get("resource")).get("service.name"))
    source = context.source(SOURCE if service is None else f"{SOURCE}/{service}")
    conversation = next((c for _, each in said if (c := text_of(each.get("gen_ai.conversation.id")))), None)
    found: list[AnyEvent] = [
        _response(span, each, source, conversation) for span, each in said if _operation(each) in CHAT
    ]
    if any(_operation(each) in ("invoke_agent", "execute_tool") for _, each in said):
        found.append(_rollout(str(row["traceId"]), said, source, conversation))
    return found


def _operation(said: Json) -> str | None:
    return text_of(said.get("gen_ai.operation.name"))


def _response(span: Json, said: Json, source: str, conversation: str | None) -> AnyEvent:
    span_id, start, end = (
        text_of(span.get("spanId")),
        moment(span.get("startTimeUnixNano")),
        moment(span.get("endTimeUnixNano")),
    )
    response = ResponseServed(
        id=UNNAMED,
        source=source,
        occurred_at=end or start,
        response_id=text_of(said.get("gen_ai.response.id")) or str(span_id),
        prompt=_text(said.get("gen_ai.input.messages")),
        completion=_text(said.get("gen_ai.output.messages")),
        conversation_id=text_of(said.get("gen_ai.conversation.id")) or conversation,
        trace_id=text_of(span.get("traceId")),
        span_id=span_id,
        model=text_of(said.get("gen_ai.response.model") or said.get("gen_ai.request.model")),
        latency_ms=(end - start).total_seconds() * 1_000 if start and end else None,
        cost_usd=as_float(said.get("gen_ai.usage.cost")),
    )
    return identified(response, "otlp", span_id)


def _rollout(trace: str, said: list[tuple[Json, Json]], source: str, conversation: str | None) -> AnyEvent:
    agents = [(span, each) for span, each in said if _operation(each) == "invoke_agent"]
    root = agents[0][0] if agents else said[0][0]
    served = [text_of(each.get("gen_ai.response.id")) for _, each in said if _operation(each) in CHAT]
    failed = _failed(root)
    rollout = RolloutRecorded(
        id=UNNAMED,
        source=source,
        occurred_at=moment(root.get("endTimeUnixNano")),
        rollout_id=trace,
        steps=with_room(list(_steps(said))),
        response_id=next((response for response in reversed(served) if response), None),
        conversation_id=conversation,
        model=next((m for _, each in said if (m := text_of(each.get("gen_ai.response.model")))), None),
        outcome=None if failed is None else "failed" if failed else "finished",
        outcome_detail=text_of(inner(root, "status").get("message")),
    )
    return identified(rollout, "otlp", "trace", trace)


def _steps(said: list[tuple[Json, Json]]) -> Iterator[Step]:
    """A chat span is a step of the assistant's, which made the calls of the tool spans that follow it."""
    for place, (span, each) in enumerate(said):
        if _operation(each) in CHAT:
            calls: list[ToolCall] = []
            for _, other in said[place + 1 :]:
                if _operation(other) in CHAT:
                    break
                if _operation(other) == "execute_tool":
                    calls.append(_call(other))
            yield Step(role="assistant", text=_text(each.get("gen_ai.output.messages")), calls=tuple(calls))
        elif _operation(each) == "execute_tool":
            start, end = moment(span.get("startTimeUnixNano")), moment(span.get("endTimeUnixNano"))
            text = each.get("gen_ai.tool.call.result") or each.get("error.type")
            yield Step(
                role="tool",
                text=None if text is None else _text(text),
                tool=_call(each).tool,
                call_id=text_of(each.get("gen_ai.tool.call.id")),
                is_error=True if each.get("error.type") else _failed(span),
                seconds=(end - start).total_seconds() if start and end else None,
            )


def _call(said: Json) -> ToolCall:
    arguments: Any = said.get("gen_ai.tool.call.arguments")
    return ToolCall(
        tool=text_of(said.get("gen_ai.tool.name")) or "unnamed",
        arguments=_text(arguments) or "",
        call_id=text_of(said.get("gen_ai.tool.call.id")),
    )


def _failed(span: Json) -> bool | None:
    """Whether the span says that it failed; None where it says nothing (a status that was never set)."""
    code = str(inner(span, "status").get("code"))
    return {"STATUS_CODE_OK": False, "1": False, "STATUS_CODE_ERROR": True, "2": True}.get(code)


def _text(content: Any) -> str | None:
    return content if isinstance(content, str) or content is None else canonical_json(content)


OTLP_TRACES = Importer(
    "otlp-traces",
    "Agents' spans, OTLP as JSON: traces.json",
    read,
    events,
    SOURCE,
    fits=with_keys("resourceSpans"),
    topics=("responses",),
)
