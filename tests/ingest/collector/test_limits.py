"""Sizes, rates, and encodings: what is too much is answered with its size and the limit, and counted."""

import gzip
import json
import re
from typing import Any

import pytest

from models.events import dump
from models.events.taxonomy import DiscoveryStarted

THUMB = {"response_id": "r", "thumb": "up"}


def counted(client: Any, state: str) -> int:
    """Events that the metrics show as `state`, of any type."""
    text = client.get("/metrics").text
    found = re.findall(rf'^flywheel_collector_events_total{{state="{state}",.*}} (.*)$', text, re.MULTILINE)
    return int(sum(map(float, found)))


def test_case_37_what_is_too_large_is_kept_but_for_the_text_or_refused_and_counted(place: Any) -> None:
    client = place.client(body_bytes=2_000_000)
    whole = {"span_id": "s1", "author_id": "u1", "metric": "m", "text": "ä" * 550_000}
    cut = client.post("/v1/comments", json={**whole, "id": "cut"})
    assert (cut.status_code, cut.json()["events"][0]["cut"]) == (202, True)
    beyond = client.post("/v1/comments", json={**whole, "text": "x" * 2_100_000})
    assert beyond.status_code == 413
    assert re.fullmatch(
        r"the body has 2,100,\d{3} bytes .*; the limit is 2,000,000: send less at once", beyond.json()["reason"]
    )
    keys = tuple(f"web|{number:0500}" for number in range(2_500))
    uncut = DiscoveryStarted(
        id="d", source="web", discovery_id="d", event_keys=keys, embedding="e", taxonomy_digest="t"
    )
    headers = {"Content-Type": "application/cloudevents+json"}
    refused = client.post("/v1/events", content=dump(uncut), headers=headers)
    assert refused.status_code == 413
    assert "1,2" in refused.json()["events"][0]["reason"] and "could be cut" in refused.json()["events"][0]["reason"]
    client.post("/v1/comments", json={"span_id": "s1", "text": "short", "id": "short"})

    (kept, short) = sorted(place.events("feedback"), key=lambda event: event.id)
    assert kept.text.startswith("ää") and kept.text.endswith("more characters]")
    assert (kept.target.id, kept.author.id, kept.metric, short.text) == ("s1", "u1", "m", "short")
    sent, stored, rejected = 4, len(place.events()), counted(client, "refused")
    assert (counted(client, "accepted"), stored + rejected) == (stored, sent)


def test_a_body_without_a_length_is_counted_as_it_comes(place: Any) -> None:
    client = place.client(body_bytes=1_000)
    answer = client.post("/v1/thumbs", content=iter([b"x" * 600] * 3), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_a_batch_has_a_limit_and_is_taken_whole_or_not(place: Any) -> None:
    client = place.client(batch_events=3)
    assert client.post("/v1/thumbs", json=[THUMB] * 3).status_code == 202
    answer = client.post("/v1/thumbs", json=[THUMB] * 4)
    assert (answer.status_code, answer.json()["reason"]) == (
        413,
        "the batch has more than 3 events, the limit: send it in parts",
    )
    assert len(place.events()) == 3


def test_a_list_of_millions_of_nothings_is_not_looked_through(place: Any) -> None:
    client = place.client()
    answer = client.post(
        "/v1/thumbs", content=b"[1" + b",1" * 1_000_000 + b"]", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413


def test_gzip_is_unpacked(place: Any, client: Any) -> None:
    packed = gzip.compress(json.dumps(THUMB).encode())
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert client.post("/v1/thumbs", content=packed, headers=headers).status_code == 202
    assert len(place.events()) == 1


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (gzip.compress(b" " * 10_000_000), 413, "more than 100,000 bytes once unpacked"),
        (gzip.compress(json.dumps(THUMB).encode())[:-4], 400, "cut short"),
        (b"not gzip", 400, "is not gzip"),
        (b"", 400, "cut short after 0 bytes"),
        (gzip.compress(b"") * 40, 400, "more than 16 parts"),
    ],
    ids=["bomb", "cut", "another", "empty", "many"],
)
def test_gzip_that_is_none_or_a_bomb(place: Any, body: bytes, status: int, reason: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = place.client(body_bytes=100_000).post("/v1/thumbs", content=body, headers=headers)
    assert answer.status_code == status
    assert reason in answer.text


def test_another_encoding_is_not_taken(client: Any) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "br"}
    assert client.post("/v1/thumbs", content=b"{}", headers=headers).status_code == 415


def test_a_key_that_has_sent_its_rate_waits_and_another_does_not(place: Any) -> None:
    fast, slow = place.key("fast", "feedback"), place.key("slow", "feedback")
    client = place.client(keyless=False, rate=0.5)
    assert client.post("/v1/thumbs", json=[THUMB] * 5, headers=fast).status_code == 202
    answer = client.post("/v1/thumbs", json=THUMB, headers=fast)
    assert (answer.status_code, int(answer.headers["retry-after"]) > 5) == (429, True)
    assert client.post("/v1/thumbs", json=THUMB, headers=slow).status_code == 202
    assert len(place.events()) == 6


def test_bodies_in_memory_have_a_bound_and_are_let_go(place: Any, talk: Any) -> None:
    from ingest.collector import Settings, collector_app  # noqa: PLC0415

    app = collector_app(place.home, place.log, Settings(held_bytes=1_000), keyless=True)
    body = json.dumps({**THUMB, "metric": "m" * 300}).encode()
    request = ("/v1/thumbs", {"Content-Type": "application/json"}, [body])
    statuses = [status for status, _ in talk(app, request, request, request, request)]
    assert (set(statuses), statuses.count(202) >= 2) == ({202, 503}, True)
    assert [status for status, _ in talk(app, request)] == [202]
