"""Who is let in, and as whom they write."""

import json
from typing import Any

import pytest

from ingest.collector.keys import KeyRing, create, keys_file, read, revoke
from models.errors import TerminalError
from models.events import dump
from models.events.response import ResponseServed
from tests.ingest.collector.test_events import COMMENT

THUMB = {"response_id": "r", "thumb": "up"}
STRUCTURED = {"Content-Type": "application/cloudevents+json"}


def test_nobody_without_a_live_key_gets_in(place: Any) -> None:
    client = place.client(keyless=False)
    good = place.key()
    bad = good["Authorization"][:-1] + ("A" if good["Authorization"][-1] != "A" else "B")
    wrong: list[Any] = [
        {},
        {"Authorization": "Basic abc"},
        {"Authorization": bad},
        {"X-API-Key": "fw_x"},
        {"X-API-Key": b"\xff"},
    ]
    for headers in wrong:
        answer = client.post("/v1/thumbs", json=THUMB, headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert client.post("/v1/thumbs", json=THUMB, headers=good).status_code == 202
    other = {"X-API-Key": good["Authorization"].removeprefix("Bearer ")}
    assert client.post("/v1/thumbs", json=THUMB, headers=other).status_code == 202
    assert len(place.events()) == 2


def test_a_revoked_key_is_out_with_the_next_request(place: Any) -> None:
    client = place.client(keyless=False)
    headers = place.key("web")
    assert client.post("/v1/thumbs", json=THUMB, headers=headers).status_code == 202
    revoke(place.home, "web")
    assert client.post("/v1/thumbs", json=THUMB, headers=headers).status_code == 401
    again = place.key("web")
    assert client.post("/v1/thumbs", json=THUMB, headers=again).status_code == 202


def test_keys_that_cant_be_read_let_nobody_in(place: Any) -> None:
    client = place.client(keyless=False)
    headers = place.key("web")
    keys_file(place.home).write_text("[{")
    answer = client.post("/v1/thumbs", json=THUMB, headers=headers)
    assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
    with pytest.raises(TerminalError, match=r"keys\.json can't be read"):
        read(place.home)


def test_a_key_is_kept_as_a_hash(place: Any) -> None:
    key, secret = create(place.home, "web", "web", ("feedback",))
    kept = keys_file(place.home).read_text()
    assert secret not in kept and secret.split("_")[2] not in kept
    assert key.sha256 in kept
    found = KeyRing(keys_file(place.home)).find(secret)
    assert found == key
    with pytest.raises(TerminalError, match="there is a key named 'web'"):
        create(place.home, "web", "web", ("feedback",))
    with pytest.raises(TerminalError, match="no live key has the name or id 'nope'; live keys: web"):
        revoke(place.home, "nope")


def test_a_key_writes_as_its_source_and_below_it(place: Any) -> None:
    client = place.client(keyless=False)
    headers = place.key("web", "feedback")
    for source, status in (("web", 202), ("web/checkout", 202), (None, 202), ("webshop", 403), ("app", 403)):
        answer = client.post("/v1/thumbs", json={**THUMB, "source": source}, headers=headers)
        assert answer.status_code == status
    assert "writes as 'web' and below it, not as 'app'" in answer.json()["events"][0]["reason"]
    assert sorted(event.source for event in place.events()) == ["web", "web", "web/checkout"]


def test_a_scope_lets_its_own_events_in_and_no_others(place: Any) -> None:
    client = place.client(keyless=False)
    bodies = {
        "feedback": ("/v1/thumbs", THUMB),
        "experiments": ("/v1/metrics", {"metric": "m", "value": 1, "person_id": "u"}),
        "erase": ("/v1/erasures", {"person_id": "u"}),
    }
    for scope in bodies:
        headers = place.key(f"only-{scope}", scope)
        for needed, (path, body) in bodies.items():
            answer = client.post(path, json=body, headers=headers)
            assert answer.status_code == (202 if needed == scope else 403)
    assert sorted(event.topic for event in place.events()) == ["experiments", "feedback", "privacy"]


def test_what_our_own_workers_write_needs_a_scope_that_says_so(place: Any) -> None:
    client = place.client(keyless=False)
    job = {
        "specversion": "1.0", "id": "j1", "source": "web", "type": "job.heartbeat.v1",
        "data": {"job_id": "j", "epoch": 1, "owner": "w", "step": 1, "phase": "load"},
    }  # fmt: skip
    outside, inside = place.key("web", "feedback", "experiments", "erase"), place.key("ops", "internal", source="web")
    answer = client.post("/v1/events", json=job, headers={**outside, **STRUCTURED})
    assert answer.status_code == 403
    assert "written by Flywheel's own workers" in answer.json()["events"][0]["reason"]
    judged = json.loads(dump(COMMENT)) | {"id": "s1", "type": "feedback.score_given.v1"}
    judged["data"] = judged["data"] | {"metric": "m", "data_type": "numeric", "job_id": "j", "epoch": 1}
    answer = client.post("/v1/events", json=judged, headers={**outside, **STRUCTURED})
    assert answer.status_code == 403
    assert "mark the scores of Flywheel's own judges" in answer.json()["events"][0]["reason"]
    automated = {"text": "loops", "response_id": "r", "rule": "r", "rule_version": 1, "kind": "automated"}
    answer = client.post("/v1/reports", json=automated, headers=outside)
    assert answer.status_code == 403
    assert "mark the reports of Flywheel's own rules" in answer.json()["events"][0]["reason"]
    assert client.post("/v1/reports", json=automated, headers=inside).status_code == 202
    for body in (job, judged):
        assert client.post("/v1/events", json=body, headers={**inside, **STRUCTURED}).status_code == 202


def test_without_keys_only_this_machine_is_served_by_its_own_name(client: Any) -> None:
    event = dump(ResponseServed(id="r", source="web", response_id="r"))
    for host, status in (("127.0.0.1:8080", 202), ("localhost", 202), ("[::1]:80", 202), ("evil.example", 403)):
        answer = client.post("/v1/events", content=event, headers={**STRUCTURED, "Host": host})
        assert answer.status_code == status
