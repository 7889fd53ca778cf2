"""The client against the real collector: everything recorded is settled once, whatever happens on the way."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from flywheel_client import AsyncFlywheel, Settings, Stats
from tests.clients.conftest import FAST, NewClient
from tests.clients.served import Served
from tests.ingest.sink.written import wait_for


def balanced(stats: Stats) -> bool:
    settled = stats.accepted + stats.duplicate + stats.refused + stats.dropped
    return stats.queued + stats.adopted == settled + stats.waiting


def test_events_of_every_kind_arrive(collector: Served, new_client: NewClient):
    client = new_client(collector.url)
    ids = [
        client.response("r1", prompt="hi", completion="hello", person="u1", model="m", latency_ms=12.5),
        client.thumb("r1", up=False, person="u1"),
        client.comment("r1", "too long", person="u1"),
        client.score("r1", "helpful", 0.5, author="llm", scale=(0, 1)),
        client.report("it lied", "r1", person="u1"),
        client.preference("r1", "r2", "tie", person="u1"),
        client.exposure("e1", "b", person="u1"),
        client.metric("minutes", 3, person="u1"),
        client.event({"type": "feedback.comment_left.v1", "data": {
            "target": {"kind": "trace", "id": "t"}, "author": {"kind": "code"}, "text": "raw"}}),
    ]  # fmt: skip
    assert client.flush(60)
    assert client.stats == Stats(queued=9, accepted=9)
    assert set(ids) <= {event["id"] for event in collector.written()}


def test_many_events_travel_in_few_requests(collector: Served, new_client: NewClient):
    client = new_client(collector.url, FAST._replace(batch_events=100, linger=30.0))
    for number in range(250):
        client.thumb(f"r{number}", up=True)
    assert client.flush(60)
    assert client.stats == Stats(queued=250, accepted=250)
    assert len(collector.requests) == 3


def test_case_3_an_answer_that_is_lost_does_not_store_the_vote_twice(collector: Served, new_client: NewClient):
    """The collector has the thumb, the client doesn't know it: the retry brings the same id, and is a no-op."""
    collector.faults.extend(["lose", "lose"])
    client = new_client(collector.url)
    vote = client.thumb("m1", up=False, person="u1")
    assert client.flush(60)
    assert collector.requests == [[vote]] * 3
    assert client.stats == Stats(queued=1, duplicate=1)
    assert [event["id"] for event in collector.written()].count(vote) == 1
    assert collector.in_lake()[vote] == 1


def test_what_is_refused_is_said_with_the_reason_and_not_sent_again(
    collector: Served, new_client: NewClient, caplog: pytest.LogCaptureFixture
):
    refused: list[tuple[dict[str, Any], str]] = []
    client = new_client(collector.url, on_refused=lambda event, reason: refused.append((event, reason)))
    good = client.thumb("r1", up=True)
    bad = client.comment("", "a secret text")
    client.event({"type": "feedback.shrug.v1", "id": "shrug", "data": {}})
    assert client.flush(60)
    assert client.stats == Stats(queued=3, accepted=1, refused=2)
    assert {event["id"]: reason for event, reason in refused}.keys() == {bad, "shrug"}
    assert "target.id" in refused[0][1]
    assert "a secret text" not in caplog.text
    assert bad in caplog.text
    assert sum(bad in request for request in collector.requests) == 1
    assert good in {event["id"] for event in collector.written()}


def test_a_callback_that_fails_or_flushes_stops_nothing(collector: Served, new_client: NewClient):
    def fails(event: dict[str, Any], reason: str) -> None:
        assert not client.flush()
        raise KeyError(reason)

    client = new_client(collector.url, on_refused=fails)
    client.event({"type": "feedback.shrug.v1", "data": {}})
    assert client.flush(60)
    client.thumb("r1", up=True)
    assert client.flush(60)
    assert client.stats == Stats(queued=2, accepted=1, refused=1)


def test_busy_and_away_and_lost_are_tried_again_with_the_same_ids(collector: Served, new_client: NewClient):
    collector.faults.extend(["busy", "away", "lose", "busy"])
    client = new_client(collector.url, FAST._replace(batch_events=10))
    ids = [client.thumb(f"r{number}", up=True) for number in range(25)]
    assert client.flush(60)
    assert balanced(client.stats)
    assert client.stats.accepted + client.stats.duplicate == 25
    written = [event["id"] for event in collector.written()]
    assert all(written.count(id_) == 1 for id_ in ids)
    assert collector.requests[0] == collector.requests[1] == collector.requests[2]


def test_retry_after_is_honoured_also_by_flush(collector: Served, new_client: NewClient):
    collector.faults.append("busy long")
    client = new_client(collector.url)
    client.thumb("r1", up=True)
    wait_for(lambda: bool(collector.requests))
    assert not client.flush(0.3)
    assert not client.flush(0.1)
    assert len(collector.requests) == 1
    assert client.stats == Stats(queued=1, waiting=1, spooled=1)


def test_a_batch_that_is_too_large_is_split_until_it_fits(collector: Served, new_client: NewClient):
    """The collector of these tests takes bodies of 100,000 bytes."""
    refused: list[str] = []
    client = new_client(
        collector.url, FAST._replace(linger=30.0), on_refused=lambda event, _: refused.append(event["id"])
    )
    ids = [client.comment(f"r{number}", "x" * 30_000) for number in range(8)]
    whale = client.comment("r9", "x" * 200_000)
    assert client.flush(60)
    assert client.stats == Stats(queued=9, accepted=8, refused=1)
    assert refused == [whale]
    assert set(ids) <= {event["id"] for event in collector.written()}


def test_recording_waits_for_nobody(collector: Served, new_client: NewClient):
    """While the collector holds a request, a thousand events are recorded."""
    collector.faults.append("slow")
    client = new_client(collector.url)
    client.thumb("first", up=True)
    wait_for(lambda: bool(collector.requests))
    for number in range(1_000):
        client.thumb(f"r{number}", up=True)
    assert client.stats == Stats(queued=1_001, waiting=1_001, spooled=1_001)
    collector.go_on.set()
    assert client.flush(60)
    assert client.stats == Stats(queued=1_001, accepted=1_001)


def test_an_answer_that_takes_too_long_is_asked_for_again(collector: Served, new_client: NewClient):
    collector.faults.append("slow")
    client = new_client(collector.url, FAST._replace(timeout=0.5))
    id_ = client.thumb("r1", up=True)
    assert client.flush(60)
    collector.go_on.set()
    assert len(collector.requests) > 1
    assert {tuple(request) for request in collector.requests} == {(id_,)}
    assert collector.in_lake()[id_] == 1


def test_a_wrong_address_loses_nothing(collector: Served, new_client: NewClient, caplog: pytest.LogCaptureFixture):
    """Someone has to mend it, which is said; the events wait on disk."""
    wrong = new_client(collector.url + "/nowhere")
    wrong.thumb("r1", up=True)
    wait_for(lambda: "404" in caplog.text)
    assert not wrong.flush(0.1)
    wrong.close(0.1)
    assert wrong.stats == Stats(queued=1, waiting=1, spooled=1)


def test_without_a_spool_what_can_not_be_kept_is_counted_and_said(
    collector: Served, new_client: NewClient, caplog: pytest.LogCaptureFixture
):
    collector.faults.extend(["away"] * 1_000)
    client = new_client(collector.url, FAST._replace(memory_events=10), spool=False)
    for number in range(30):
        client.thumb(f"r{number}", up=True)
    stats = client.stats
    assert (stats.dropped, stats.waiting, stats.spooled) == (20, 10, 0)
    assert "dropped" in caplog.text
    client.close(0.1)
    assert client.stats == Stats(queued=30, dropped=30)


def test_a_spool_that_can_not_be_written_is_said_and_events_go_on(
    tmp_path: Path, collector: Served, new_client: NewClient, caplog: pytest.LogCaptureFixture
):
    (tmp_path / "file").write_text("")
    client = new_client(collector.url, spool=tmp_path / "file")
    client.thumb("r1", up=True)
    assert client.flush(60)
    assert client.stats == Stats(queued=1, accepted=1)
    assert "the spool can't be written" in caplog.text


def test_a_closed_client_says_so(collector: Served, new_client: NewClient):
    client = new_client(collector.url)
    with client:
        client.thumb("r1", up=True)
    assert client.stats == Stats(queued=1, accepted=1)
    assert client.close()
    assert client.flush()
    with pytest.raises(RuntimeError, match="closed"):
        client.thumb("r1", up=True)


def test_the_async_client_records_with_or_without_await(
    tmp_path: Path, collector: Served, caplog: pytest.LogCaptureFixture
):
    async def session() -> tuple[list[str], Stats]:
        async with AsyncFlywheel(collector.url, source="test", spool=tmp_path, settings=FAST) as client:
            ids = [client.thumb("r1", up=None, person="u"), await client.comment("r1", "so so")]
            assert await client.flush(60)
            return ids, client.stats

    with caplog.at_level(logging.DEBUG):
        ids, stats = asyncio.run(session())
    assert stats == Stats(queued=2, accepted=2)
    assert set(ids) <= {event["id"] for event in collector.written()}


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://x", "http://"])
def test_an_address_that_can_not_be_one_is_refused_at_once(url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("FLYWHEEL_URL", raising=False)
    with pytest.raises(ValueError, match="FLYWHEEL_URL"):
        AsyncFlywheel(url)


def test_a_key_that_no_header_can_hold_is_refused_at_once():
    with pytest.raises(ValueError, match="key"):
        AsyncFlywheel("http://127.0.0.1:1", "fw_\n")


def test_settings_have_defaults_that_a_spool_fits_in():
    assert Settings().spool_bytes > Settings().batch_bytes
