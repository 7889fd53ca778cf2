"""`POST /v1/events`: three modes, ids, copies and contradictions."""

import json
from typing import Any

import pytest

from models.events import dump
from models.events.base import Json
from models.events.comment import CommentLeft
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target

STRUCTURED = {"Content-Type": "application/cloudevents+json"}
BATCH = {"Content-Type": "application/cloudevents-batch+json"}
COMMENT = CommentLeft(
    id="c1",
    source="web",
    target=Target(kind="response", id="r1"),
    author=Author(kind="human", id="u1"),
    text="too long",
)
THUMB = ThumbGiven(id="t1", source="web", target=COMMENT.target, author=COMMENT.author, thumb="down")


def as_json(event: Any, **changes: Any) -> Json:
    return {**json.loads(dump(event)), **changes}


def states(answer: Any) -> list[str]:
    return [event["state"] for event in answer.json()["events"]]


def test_a_structured_event_is_in_the_log_once_it_is_answered(place: Any, client: Any) -> None:
    answer = client.post("/v1/events", content=dump(COMMENT), headers=STRUCTURED)
    assert answer.status_code == 202
    said = answer.json()
    assert said.pop("request_id") == answer.headers["x-request-id"]
    accepted = {"index": 0, "id": "c1", "source": "web", "state": "accepted"}
    assert said == {"events": [accepted], "accepted": 1, "duplicate": 0, "refused": 0}
    assert place.events() == [COMMENT]


def test_the_log_keeps_what_was_sent_also_what_nobody_knows_yet(place: Any, client: Any) -> None:
    sent = json.dumps(as_json(COMMENT) | {"traceparent": "00-abc", "data": as_json(COMMENT)["data"] | {"mood": 3}})
    client.post("/v1/events", content=f"[ {sent} ]", headers=BATCH)
    (row,) = place.lake("feedback").iter_rows(named=True)
    assert row["raw"] == sent.encode()
    assert row["content_hash"] == COMMENT.content_hash()


def test_binary_mode_is_the_same_event(place: Any, client: Any) -> None:
    headers = {
        "Content-Type": "application/json; charset=utf-8", "ce-specversion": "1.0", "ce-id": "c%C3%A9",
        "ce-source": "web", "ce-type": COMMENT.type, "ce-time": "2026-11-02T23:30:00+08:00", "ce-importrow": "7",
    }  # fmt: skip
    answer = client.post("/v1/events", json=COMMENT.payload(), headers=headers)
    assert answer.json()["events"][0] == {"index": 0, "id": "cé", "source": "web", "state": "accepted"}
    (event,) = place.events()
    assert (event.text, event.import_row, event.occurred_at.isoformat()) == ("too long", 7, "2026-11-02T15:30:00+00:00")


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"ce-id": "%FF"}, "header ce-id is not UTF-8"),
        ({"ce-id": "%00"}, "holds a NUL character"),
        ({"ce-data": "{}"}, "the body is the data"),
        ({"ce-my_name": "x"}, "no attribute"),
        ({"ce-id": "x" * 9_000}, "9,000 bytes"),
        ({"ce-importrow": "seven"}, "import_row"),
        ({"ce-type": "feedback.shrug.v1"}, "unknown event type"),
    ],
)
def test_tricks_with_headers_are_refused_with_a_reason(
    place: Any, client: Any, headers: dict[str, str], reason: str
) -> None:
    good = {"Content-Type": "application/json", "ce-specversion": "1.0", "ce-id": "c", "ce-type": COMMENT.type}
    answer = client.post("/v1/events", json=COMMENT.payload(), headers={**good, **headers})
    assert answer.status_code == 400
    assert reason in answer.json()["events"][0]["reason"]
    assert place.events() == []


def test_a_batch_with_bad_events_takes_the_good_ones(place: Any, client: Any) -> None:
    events = [as_json(COMMENT), 7, as_json(THUMB, type="feedback.shrug.v1"), as_json(THUMB), as_json(THUMB, data=[])]
    answer = client.post("/v1/events", json=events, headers=BATCH)
    assert answer.status_code == 202
    assert states(answer) == ["accepted", "refused", "refused", "accepted", "refused"]
    assert [event["id"] for event in answer.json()["events"]] == ["c1", None, "t1", "t1", "t1"]
    assert {event.id for event in place.events()} == {"c1", "t1"}


def test_one_event_that_is_no_json_takes_no_other_with_it(place: Any, client: Any) -> None:
    body = f'[{dump(COMMENT).decode()}, {{"x": NaN}}, {dump(THUMB).decode()}]'
    answer = client.post("/v1/events", content=body, headers=BATCH)
    assert states(answer) == ["accepted", "refused", "accepted"]
    assert len(place.events()) == 2


@pytest.mark.parametrize(
    "body", [b"", b"nope", b"[", b"[1", b"[1,]", b"[1 2]", b"[1] 2", b"{", b"\xff", b"[\xff]", b"3"]
)
@pytest.mark.parametrize("media_type", ["application/cloudevents+json", "application/cloudevents-batch+json"])
def test_a_body_that_cant_be_read_is_one_refused_event(client: Any, body: bytes, media_type: str) -> None:
    answer = client.post("/v1/events", content=body, headers={"Content-Type": media_type})
    assert answer.status_code == 400
    assert states(answer) and set(states(answer)) == {"refused"}
    assert answer.json()["events"][0]["reason"]


def test_an_empty_list_is_refused_unless_it_is_a_batch_as_cloudevents_has_it(client: Any) -> None:
    answer = client.post("/v1/events", json=[])
    assert (answer.status_code, set(answer.json())) == (400, {"reason", "request_id"})
    assert "the list is empty" in answer.json()["reason"]
    answer = client.post("/v1/events", json=[], headers=BATCH)
    assert (answer.status_code, answer.json()["events"]) == (202, [])


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data", ""])
def test_another_type_is_not_taken(client: Any, media_type: str) -> None:
    answer = client.post("/v1/events", content=dump(COMMENT), headers={"Content-Type": media_type})
    assert answer.status_code == 415
    assert "application/cloudevents+json" in answer.json()["reason"]


def test_a_copy_is_a_duplicate_and_other_content_a_contradiction(place: Any, client: Any) -> None:
    other = as_json(COMMENT, data={**as_json(COMMENT)["data"], "text": "fine"})
    spaced = json.dumps(as_json(COMMENT), indent=3)
    assert states(client.post("/v1/events", content=dump(COMMENT), headers=STRUCTURED)) == ["accepted"]
    assert states(client.post("/v1/events", content=spaced, headers=STRUCTURED)) == ["duplicate"]
    contradicted = client.post("/v1/events", json=other, headers=STRUCTURED)
    assert contradicted.status_code == 400
    assert "the first stays" in contradicted.json()["events"][0]["reason"]
    assert place.events() == [COMMENT]
    # Another source is another event.
    assert states(client.post("/v1/events", json={**other, "source": "app"}, headers=STRUCTURED)) == ["accepted"]


def test_copies_and_contradictions_in_one_batch(place: Any, client: Any) -> None:
    other = as_json(COMMENT, data={**as_json(COMMENT)["data"], "text": "fine"})
    answer = client.post("/v1/events", json=[as_json(COMMENT), as_json(COMMENT), other], headers=BATCH)
    assert states(answer) == ["accepted", "duplicate", "refused"]
    assert place.events() == [COMMENT]


def test_an_id_may_come_from_the_idempotency_key(place: Any, client: Any) -> None:
    body = [{name: value for name, value in as_json(event).items() if name != "id"} for event in (COMMENT, THUMB)]
    without = client.post("/v1/events", json=body, headers=BATCH)
    assert states(without) == ["refused", "refused"]
    assert "no id: give it one, or send an Idempotency-Key" in without.json()["events"][0]["reason"]
    headers = {**BATCH, "Idempotency-Key": "k1"}
    first, again = (client.post("/v1/events", json=body, headers=headers) for _ in range(2))
    assert states(first) == ["accepted", "accepted"]
    assert states(again) == ["duplicate", "duplicate"]
    assert [event["id"] for event in first.json()["events"]] == [event["id"] for event in again.json()["events"]]
    assert len({event.id for event in place.events()}) == 2


@pytest.mark.parametrize("key", ["", '""', "x" * 256, "a\tb"])
def test_an_idempotency_key_that_is_none_is_refused(client: Any, key: str) -> None:
    answer = client.post("/v1/events", content=dump(COMMENT), headers={**STRUCTURED, "Idempotency-Key": key})
    assert answer.status_code == 400
    assert "Idempotency-Key" in answer.json()["reason"]


def test_what_the_sink_would_quarantine_is_refused_at_the_door(place: Any, client: Any) -> None:
    data = as_json(COMMENT)["data"]
    deep = f'{{"a":{"[" * 200}{"]" * 200}}}'
    events = [
        json.dumps(as_json(COMMENT, data={**data, "sequence": 2**63})),
        json.dumps(as_json(COMMENT, data={**data, "text": "a\x00b"})),
        dump(COMMENT).decode().replace('"text":"too long"', f'"text":"too long","more":{deep}'),
    ]
    answer = client.post("/v1/events", content=f"[{','.join(events)}]", headers=BATCH)
    assert states(answer) == ["refused"] * 3
    reasons = [event["reason"] for event in answer.json()["events"]]
    assert [part in reason for part, reason in zip(("64-bit", "NUL", "levels deep"), reasons, strict=True)] == [
        True
    ] * 3
    assert place.events() == []


def test_a_request_id_of_the_sender_comes_back_if_a_log_can_hold_it(client: Any) -> None:
    ours = client.get("/healthz", headers={"X-Request-Id": "order-66"})
    assert ours.headers["x-request-id"] == "order-66"
    other = client.get("/healthz", headers={"X-Request-Id": "a b;c"})
    assert len(other.headers["x-request-id"]) == 16


def test_a_place_that_is_not_there_and_a_method_that_is_not(client: Any) -> None:
    assert client.post("/v2/events").status_code == 404
    answer = client.get("/v1/events")
    assert (answer.status_code, answer.json()["reason"]) == (405, "Method Not Allowed")
