"""OpenTelemetry: evaluations in logs, agents in traces."""

import json
from typing import Any

import pytest

from ingest.importers.base import Refused
from ingest.importers.otlp import attributes, moment


def pairs(**values: Any) -> list[dict[str, Any]]:
    kinds = {str: "stringValue", float: "doubleValue", int: "intValue", bool: "boolValue"}
    return [{"key": key.replace("__", "."), "value": {kinds[type(value)]: value}} for key, value in values.items()]


def logs(*rows: dict[str, Any]) -> dict[str, Any]:
    scope = {"scope": {"name": "judge"}, "logRecords": list(rows)}
    return {"resourceLogs": [{"resource": {"attributes": pairs(service__name="app")}, "scopeLogs": [scope]}]}


def evaluation(name: str, **said: Any) -> dict[str, Any]:
    return {
        "timeUnixNano": "1793750399900000000",
        "eventName": "gen_ai.evaluation.result",
        "traceId": "t1",
        "spanId": "s1",
        "attributes": pairs(gen_ai__evaluation__name=name, **said),
    }


def test_an_evaluation_is_a_thumb_a_score_or_an_error(place: Any) -> None:
    document = logs(
        evaluation(
            "user_feedback",
            gen_ai__evaluation__score__value=0.0,
            gen_ai__evaluation__explanation="no",
            gen_ai__response__id="r1",
        ),
        evaluation(
            "Relevance",
            gen_ai__evaluation__score__value=4.0,
            gen_ai__evaluation__score__label="pass",
            gen_ai__evaluation__explanation="",
        ),
        evaluation("Faithfulness", error__type="timeout"),
        {"eventName": "app.started", "attributes": []},
    )
    account = place.rows("otlp-logs", [document])
    assert (account.rows, account.accepted, account.without_feedback) == (4, 3, 1)
    thumb, why, score, empty, error = sorted(place.events("feedback"), key=lambda event: event.import_row)
    assert (thumb.thumb, thumb.target.kind, thumb.target.id, thumb.author.kind) == ("down", "response", "r1", "human")
    assert (why.text, empty.text) == ("no", "")
    assert (score.value, score.label, score.target.kind, score.author.id) == (4.0, "pass", "span", "judge")
    assert (error.status, error.value, error.label) == ("errored", None, "timeout")
    assert {event.source for event in place.events("feedback")} == {"import/otlp/app"}


def test_a_file_of_many_documents_is_one_import(place: Any) -> None:
    row = evaluation("quality", gen_ai__evaluation__score__value=1.0)
    account = place.rows("otlp-logs", [logs(row), logs(row, row)])
    assert (account.rows, account.accepted) == (3, 3)


def span(number: int, operation: str, status: int | None = 1, **said: Any) -> dict[str, Any]:
    return {
        "traceId": "t1",
        "spanId": f"s{number}",
        "startTimeUnixNano": str(1793750300000000000 + number * 1_000_000_000),
        "endTimeUnixNano": str(1793750300500000000 + number * 1_000_000_000),
        "status": {} if status is None else {"code": status},
        "attributes": pairs(gen_ai__operation__name=operation, **said),
    }


def traces(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def test_a_trace_is_its_responses_and_its_rollout_with_the_tool_that_failed(place: Any) -> None:
    first = traces(
        span(3, "execute_tool", 2, gen_ai__tool__name="edit", gen_ai__tool__call__id="c1", error__type="NotFound"),
        span(1, "invoke_agent", gen_ai__conversation__id="conv"),
    )
    rest = traces(
        span(2, "chat", gen_ai__response__id="r1", gen_ai__response__model="m", gen_ai__output__messages='[{"x": 1}]'),
        span(4, "chat", None, gen_ai__response__id="r2"),
    )
    account = place.rows("otlp-traces", [first, rest])
    assert (account.rows, account.accepted, account.events) == (1, 1, 3)
    served = {
        event.response_id: event
        for event in place.events("responses")
        if hasattr(event, "response_id") and hasattr(event, "prompt")
    }
    assert (served["r1"].conversation_id, served["r1"].latency_ms, served["r1"].model) == ("conv", 500.0, "m")
    (rollout,) = (event for event in place.events("responses") if hasattr(event, "steps"))
    assert (rollout.rollout_id, rollout.response_id, rollout.outcome) == ("t1", "r2", "finished")
    said, tool, end = rollout.steps
    assert [(call.tool, call.call_id) for call in said.calls] == [("edit", "c1")]
    assert (tool.role, tool.tool, tool.is_error, tool.text, tool.seconds) == ("tool", "edit", True, "NotFound", 0.5)
    assert end.role == "assistant"


def test_attributes_of_every_kind_and_times_that_are_none() -> None:
    nested = [
        {
            "key": "k",
            "value": {"arrayValue": {"values": [{"intValue": "7"}, {"kvlistValue": {"values": pairs(a="b")}}]}},
        }
    ]
    assert attributes(nested) == {"k": [7, {"a": "b"}]}
    assert moment(0) is None
    with pytest.raises(Refused, match="no count of nanoseconds"):
        moment("yesterday")
    with pytest.raises(Refused, match="can't be read"):
        attributes([{"key": "k", "value": {"intValue": "many"}}])


def test_a_document_without_log_records_is_no_import(place: Any) -> None:
    path = place.files / "logs.json"
    path.write_text(json.dumps(logs(), indent=1))
    with pytest.raises(Exception, match="has no rows"):
        place.run("otlp-logs", path)
