"""The log does not answer: nothing is called accepted that is not, and nothing is remembered that was not taken."""

import json
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from ingest.collector import Settings, collector_app
from ingest.log.embedded import EmbeddedLog
from tests.ingest.sink.written import wait_for

THUMB = {"response_id": "r", "thumb": "up", "id": "t1"}
JSON = {"Content-Type": "application/json"}


@contextmanager
def held(place: Any) -> Generator[None]:
    """Another program holds the log's write lock."""
    other = sqlite3.connect(place.home.log / "log.sqlite", check_same_thread=False)
    other.execute("begin immediate")
    yield
    other.rollback()
    other.close()


def state(answer: Any) -> str:
    return answer.json()["events"][0]["state"]


def test_a_log_that_refuses_is_503_and_the_event_is_not_seen(place: Any) -> None:
    with EmbeddedLog(place.home.log / "log.sqlite", lock_timeout=0.05) as log:
        client = place.client(log=log)
        with held(place):
            answer = client.post("/v1/thumbs", json=THUMB)
            assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
            assert str(place.home.path) not in answer.text
        assert place.events() == []
        assert state(client.post("/v1/thumbs", json=THUMB)) == "accepted"
    assert len(place.events()) == 1


def test_a_log_that_is_slow_is_503_and_what_it_took_after_all_is_a_duplicate(place: Any) -> None:
    client = place.client(answer_seconds=0.1)
    with held(place):
        answer = client.post("/v1/thumbs", json=THUMB)
        assert (answer.status_code, "may yet" in answer.json()["reason"]) == (503, True)
    wait_for(lambda: len(place.events()) == 1)
    wait_for(lambda: client.post("/v1/thumbs", json=THUMB).status_code == 202)
    assert state(client.post("/v1/thumbs", json=THUMB)) == "duplicate"
    assert len(place.events()) == 1


def test_what_waits_has_a_bound_beyond_which_nothing_is_taken(place: Any) -> None:
    client = place.client(answer_seconds=0.1, waiting_events=3)
    with held(place):
        batch = [{**THUMB, "id": f"t{number}"} for number in range(3)]
        assert client.post("/v1/thumbs", json=batch).status_code == 503
        answer = client.post("/v1/thumbs", json={**THUMB, "id": "more"})
        assert (answer.status_code, answer.json()["reason"]) == (503, "3 events wait for the log: send it again")
        assert "flywheel_collector_waiting_events 3.0" in client.get("/metrics").text
    wait_for(lambda: len(place.events()) == 3)
    wait_for(lambda: client.post("/v1/thumbs", json={**THUMB, "id": "more"}).status_code == 202)
    assert {event.id for event in place.events()} == {"t0", "t1", "t2", "more"}


def test_two_at_once_with_one_id_are_written_once(place: Any, talk: Any) -> None:
    app = collector_app(place.home, place.log, Settings(), keyless=True)
    requests = [("/v1/thumbs", JSON, [json.dumps(THUMB).encode()])] * 5
    other = ("/v1/thumbs", JSON, [json.dumps({**THUMB, "thumb": "down"}).encode()])
    answers = [json.loads(body)["events"][0]["state"] for _, body in talk(app, *requests, other)]
    assert answers == ["accepted", *["duplicate"] * 4, "refused"]
    assert len(place.events()) == 1


def test_a_copy_of_what_the_log_refuses_is_no_duplicate(place: Any, talk: Any) -> None:
    with EmbeddedLog(place.home.log / "log.sqlite", lock_timeout=0.05) as log:
        app = collector_app(place.home, log, Settings(), keyless=True)
        request = ("/v1/thumbs", JSON, [json.dumps(THUMB).encode()])
        with held(place):
            assert [status for status, _ in talk(app, request, request)] == [503, 503]


def test_what_was_received_is_written_before_the_end(place: Any) -> None:
    client = place.client(answer_seconds=0.05)
    with held(place):
        client.post("/v1/thumbs", json=THUMB)
        ending = threading.Thread(target=client.__exit__, args=(None, None, None))
        ending.start()
    ending.join()
    assert len(place.events()) == 1


def test_health_is_ours_and_readiness_the_logs(place: Any) -> None:
    with EmbeddedLog(place.home.log / "log.sqlite") as log:
        client = place.client(log=log)
        assert client.get("/readyz").json() == {"status": "ready"}
    gone = place.client(log=log)
    answer = gone.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert gone.get("/healthz").status_code == 200
