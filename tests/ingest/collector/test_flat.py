"""The endpoints for flat objects."""

from typing import Any

import pytest

from ingest.collector.flat import KINDS
from models.events.comment import CommentLeft
from models.events.experiment import ExposureLogged, MetricObserved
from models.events.privacy import ErasureRequested
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.events.score import ScoreGiven
from models.events.thumb import ThumbGiven

MOMENT = "2026-11-02T23:30:00+08:00"


def states(answer: Any) -> list[str]:
    return [event["state"] for event in answer.json()["events"]]


def test_each_kind_becomes_its_event(place: Any, client: Any) -> None:
    sent: dict[str, Any] = {
        "thumbs": {"response_id": "r1", "thumb": "down", "author_id": "u1"},
        "comments": {"span_id": "s1", "text": "", "author_kind": "llm"},
        "scores": {"trace_id": "t1", "metric": "quality", "value": 0, "scale_min": 0, "scale_max": 5},
        "reports": {"text": "It looped.", "rating": 1.5, "response_id": "r1"},
        "responses": {"response_id": "r1", "prompt": "hi", "latency_ms": 12.5, "audience": "internal"},
        "exposures": {"experiment_id": "e1", "variant": "b", "person_id": "u1"},
        "metrics": {"metric": "retained", "value": 1, "anonymous_id": "a1"},
        "erasures": {"person_id": "u1", "reason": "asked by mail"},
    }
    assert set(sent) == set(KINDS)
    for name, body in sent.items():
        answer = client.post(f"/v1/{name}", json={**body, "id": f"id-{name}", "occurred_at": MOMENT})
        assert (answer.status_code, states(answer)) == (202, ["accepted"]), answer.text
    found = {event.id.removeprefix("id-"): event for event in place.events()}
    assert {name: type(event) for name, event in found.items()} == {
        "thumbs": ThumbGiven, "comments": CommentLeft, "scores": ScoreGiven, "reports": ReportFiled,
        "responses": ResponseServed, "exposures": ExposureLogged, "metrics": MetricObserved,
        "erasures": ErasureRequested,
    }  # fmt: skip
    assert {event.occurred_at.isoformat() for event in found.values()} == {"2026-11-02T15:30:00+00:00"}
    assert {event.source for event in found.values()} == {"local"}
    assert (found["reports"].target.id, found["reports"].kind, found["reports"].response_id) == ("r1", "dogfood", None)
    assert (found["comments"].text, found["comments"].author.kind, found["comments"].author.id) == ("", "llm", None)


def test_case_3_a_retry_with_its_idempotency_key_writes_nothing_new(place: Any) -> None:
    """The reply is lost; the client sends again, also to a collector that was restarted since."""
    vote = {"message_id": "m1", "thumb": "down"}
    answers = [place.client().post("/v1/thumbs", json=vote, headers={"Idempotency-Key": "k1"}).json() for _ in range(3)]
    assert [answer["events"][0]["state"] for answer in answers] == ["accepted", "duplicate", "duplicate"]
    assert len({answer["events"][0]["id"] for answer in answers}) == 1
    assert len(place.events()) == 1


def test_case_32_every_field_that_was_captured_arrives(place: Any, client: Any) -> None:
    body = {"response_id": "r1", "author_id": "u1", "thumb": "down", "reason": "x", "comment": "y"}
    answer = client.post("/v1/thumbs", json=body, headers={"Idempotency-Key": "k1"})
    assert [(event["index"], event["state"]) for event in answer.json()["events"]] == [(0, "accepted")] * 3
    rows = place.lake("feedback").sort("type").select("type", "target_id", "author_id", "thumb", "label", "text")
    assert rows.rows() == [
        ("feedback.comment_left.v1", "r1", "u1", None, None, "y"),
        ("feedback.score_given.v1", "r1", "u1", None, "x", None),
        ("feedback.thumb_given.v2", "r1", "u1", "down", None, None),
    ]
    unknown = client.post("/v1/thumbs", json={**body, "mood": "bad"})
    assert unknown.status_code == 400
    assert "unknown field 'mood'; known: " in unknown.json()["events"][0]["reason"]


def test_case_11_a_number_is_no_thumb_for_it_means_two_things(client: Any) -> None:
    for number in (0, 1, -1, False):
        answer = client.post("/v1/thumbs", json={"response_id": "r", "thumb": number})
        assert answer.status_code == 400
        assert "say 'up', 'down', or null" in answer.json()["events"][0]["reason"]


def test_case_28_zero_false_empty_and_null_are_four_answers(place: Any, client: Any) -> None:
    client.post("/v1/scores", json=[{"span_id": "s", "metric": "m", "value": value} for value in (0, False, "", None)])
    found = [(event.data_type, event.value, event.label, event.status) for event in place.events()]
    assert sorted(found, key=str) == [
        ("boolean", 0.0, None, "scored"),
        ("categorical", None, "", "scored"),
        ("numeric", 0.0, None, "scored"),
        ("numeric", None, None, "skipped"),
    ]


def test_without_a_key_equal_votes_are_two_unless_time_and_author_tell_that_they_are_one(
    place: Any, client: Any
) -> None:
    vote = {"response_id": "r", "thumb": "up"}
    for body, ids in (
        (vote, 2),
        ({**vote, "occurred_at": MOMENT}, 2),
        ({**vote, "author_id": "u"}, 2),
        ({**vote, "author_id": "u", "occurred_at": MOMENT}, 1),
    ):
        answers = [client.post("/v1/thumbs", json=body).json()["events"][0]["id"] for _ in range(2)]
        assert len(set(answers)) == ids, body
    assert len(place.events()) == 7


@pytest.mark.parametrize("name", ["comments", "erasures"])
def test_an_empty_list_is_refused(client: Any, name: str) -> None:
    answer = client.post(f"/v1/{name}", json=[])
    assert (answer.status_code, set(answer.json())) == (400, {"reason", "request_id"})
    assert "the list is empty" in answer.json()["reason"]


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("thumbs", {"thumb": "up"}, "no target"),
        ("thumbs", {"response_id": "r"}, "thumb is missing"),
        ("thumbs", {"response_id": "r", "trace_id": "t", "thumb": "up"}, "more than one target"),
        ("thumbs", {"response_id": 7, "thumb": "up"}, "target.id"),
        ("thumbs", {"response_id": "r", "thumb": "up", "author": {"kind": "human"}, "author_id": "u"}, "one of them"),
        ("thumbs", {"response_id": "r", "thumb": "up", "occurred_at": "2026-11-02T10:00:00"}, "no zone"),
        ("scores", {"span_id": "s", "metric": "m", "value": [1]}, "value is list"),
        ("scores", {"span_id": "s", "metric": "m", "value": 1, "job_id": "j"}, "unknown field 'job_id'"),
        ("exposures", {"experiment_id": "e", "variant": "b"}, "nobody was exposed"),
        ("metrics", {"metric": "m", "value": "many"}, "value"),
        ("comments", 7, "not a JSON object but int"),
    ],
)
def test_what_is_no_such_thing_is_refused_with_a_reason(
    place: Any, client: Any, name: str, body: Any, reason: str
) -> None:
    answer = client.post(f"/v1/{name}", json=body)
    assert answer.status_code == 400
    assert reason in answer.json()["events"][0]["reason"]
    assert place.events() == []


def test_a_report_may_point_to_a_trace_and_name_the_answer_that_was_seen(place: Any, client: Any) -> None:
    client.post("/v1/reports", json={"text": "wrong", "trace_id": "t1", "response_id": "r1"})
    (report,) = place.events()
    assert (report.target.kind, report.target.id, report.response_id) == ("trace", "t1", "r1")


def test_flat_objects_come_as_json_only(client: Any) -> None:
    answer = client.post("/v1/thumbs", content=b"{}", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
