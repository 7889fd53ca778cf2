"""OTLP/HTTP logs: the shape that OpenTelemetry's exporters send, and answers that they understand."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.events.comment import CommentLeft
from models.events.response import ResponseServed
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven

RESULT = "gen_ai.evaluation.result"


ERROR: dict[str, Any] = {"error.type": {"stringValue": "timeout"}}


def record(name: str = "Relevance", *, event: str = RESULT, **attributes: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"gen_ai.evaluation.name": {"stringValue": name}, **attributes}
    return {
        "timeUnixNano": "1793750400000000000", "eventName": event, "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "spanId": "00f067aa0ba902b7", "attributes": [{"key": key, "value": value} for key, value in said.items()],
    }  # fmt: skip


def request(*records: Any, service: str = "assistant") -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    return {
        "resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": {"name": "eval"}, "logRecords": [*records]}]}]
    }


def attribute(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {f"gen_ai.{name}": {kind: value}}


def test_evaluations_become_thumbs_scores_and_comments(place: Any, client: Any) -> None:
    down = record(
        "user_feedback",
        **attribute("evaluation.score.value", "doubleValue", 0.0),
        **attribute("evaluation.score.label", "stringValue", "thumbs_down"),
        **attribute("evaluation.explanation", "stringValue", "ignored the style guide"),
        **attribute("response.id", "stringValue", "chat-1"),
    )
    scored = record(
        **attribute("evaluation.score.value", "intValue", "4"),
        **attribute("evaluation.score.label", "stringValue", "pass"),
    )
    failed = record("Faithfulness", **ERROR)
    answer = client.post("/v1/logs", json=request(down, scored, failed))
    assert (answer.status_code, answer.json()) == (200, {})
    feedback = place.events("feedback")
    (thumb,) = (event for event in feedback if isinstance(event, ThumbGiven))
    assert (thumb.thumb, thumb.source, thumb.target.kind, thumb.target.id) == (
        "down",
        "assistant",
        "response",
        "chat-1",
    )
    (comment,) = (event for event in feedback if isinstance(event, CommentLeft))
    assert comment.text == "ignored the style guide"
    scores = {event.metric: event for event in feedback if isinstance(event, ScoreGiven)}
    assert (scores["Relevance"].value, scores["Relevance"].label, scores["Relevance"].author.kind) == (
        4,
        "pass",
        "code",
    )
    assert (scores["Faithfulness"].status, scores["Faithfulness"].value) == ("errored", None)
    response = next(event for event in place.events("responses") if event.response_id == "chat-1")
    assert isinstance(response, ResponseServed)
    assert response.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"


def test_what_an_exporter_sends_again_is_written_once_and_equal_records_are_two(place: Any, client: Any) -> None:
    sent = request(record(**attribute("evaluation.score.value", "doubleValue", 1.0)))
    for _ in range(2):
        client.post("/v1/logs", json=sent)
    assert len(place.events("feedback")) == 1
    twice = request(*[record("Twice", **attribute("evaluation.score.value", "doubleValue", 1.0))] * 2)
    client.post("/v1/logs", json=twice)
    assert len(place.events("feedback")) == 3


def test_what_is_no_evaluation_is_rejected_and_said_to_be(place: Any, client: Any) -> None:
    unclean = record(**attribute("evaluation.explanation", "stringValue", "a\x00b"))
    good = record(**attribute("evaluation.score.value", "doubleValue", 1.0))
    nowhere = {**good, "traceId": "", "spanId": ""}
    answer = client.post("/v1/logs", json=request(record(event="other"), unclean, nowhere, {}, good))
    assert answer.status_code == 200
    partial = answer.json()["partialSuccess"]
    assert partial["rejectedLogRecords"] == "4"
    assert f"is no {RESULT}" in partial["errorMessage"]
    assert len(place.events("feedback")) == 1


def test_a_surrogate_is_repaired_and_flagged(place: Any, client: Any) -> None:
    sent = json.dumps(request(record(**attribute("evaluation.explanation", "stringValue", "bad \ud83d"))))
    client.post("/v1/logs", content=sent, headers={"Content-Type": "application/json"})
    (comment,) = place.events("feedback")
    assert (comment.text, comment.repaired) == ("bad \ufffd", True)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b"\xff", b"null", b'{"resourceLogs": 3}', b'{"resourceLogs": [3]}',
     b'{"resourceLogs": [{"scopeLogs": [{"logRecords": "x"}]}]}'],
)  # fmt: skip
def test_a_body_of_another_shape_is_an_invalid_argument(client: Any, body: bytes) -> None:
    answer = client.post("/v1/logs", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    assert answer.json()["message"]


def test_protobuf_is_not_taken(client: Any) -> None:
    answer = client.post("/v1/logs", content=b"\x0a", headers={"Content-Type": "application/x-protobuf"})
    assert answer.status_code == 415


def test_a_service_that_the_key_may_not_write_as_is_written_as_the_key(place: Any) -> None:
    client = place.client(keyless=False)
    headers = place.key("web", "feedback")
    client.post("/v1/logs", json=request(record(), service="other"), headers=headers)
    client.post("/v1/logs", json=request(record(), service="web/chat"), headers=headers)
    assert sorted({event.source for event in place.events()}) == ["web", "web/chat"]


def test_the_shape_that_is_kept_with_the_data_is_read(place: Any, client: Any) -> None:
    shape = Path(__file__).parents[4] / "shared/data/export_shapes/otlp_logs_gen_ai_evaluation_result.json"
    if not shape.exists():
        pytest.skip("the shared data is not beside this checkout")
    answer = client.post("/v1/logs", content=shape.read_bytes(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (200, {})
    assert len({event.metric for event in place.events("feedback")}) == 3
