"""Collectors that are away, killed and started again, and programs that are killed, fork and end: no event is lost."""

import subprocess
import sys
from pathlib import Path

from flywheel_client import Flywheel
from tests.clients.conftest import FAST, NewClient
from tests.clients.served import Served
from tests.ingest.sink.written import wait_for


def run(how: str, collector: Served, spool: Path, wait: float = 30.0) -> tuple[int, list[str]]:
    """How a program of `recording_process` ended, and the ids of the events that it had recorded by then."""
    command = [sys.executable, "-m", "tests.clients.recording_process", how, collector.url, str(spool), str(wait)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.split()


def deliver(client: Flywheel, ids: list[str], collector: Served) -> None:
    """Wait until the collector has all of `ids`."""
    wait_for(lambda: client.flush(0.1) and set(ids) <= collector.taken)


def test_a_collector_that_is_away_at_the_start_then_killed_then_back(collector: Served, new_client: NewClient):
    """500 events, 6 kinds of bad luck: each is in the lake once, and the client knows."""
    collector.faults.extend(["away"] * 1_000)
    first = new_client(collector.url)
    ids: list[str] = [first.comment(f"first-{number}", "x") for number in range(100)]
    assert not first.flush(0.1)
    assert not first.close(0.1)
    assert first.stats.spooled == 100

    collector.faults.clear()
    collector.faults.extend(["busy", "lose", "away"])
    second = new_client(collector.url, FAST._replace(batch_events=20))
    for number in range(200):
        ids.append(second.comment(f"second-{number}", "x"))
        if number == 150:
            collector.kill()
    assert not second.flush(0.1)
    collector.start()
    collector.faults.extend(["lose", "busy"])
    ids += [second.comment(f"third-{number}", "x") for number in range(200)]
    deliver(second, ids, collector)

    stats = second.stats
    assert (stats.queued, stats.adopted) == (400, 100)
    assert stats.accepted + stats.duplicate == 500
    assert (stats.refused, stats.dropped, stats.waiting, stats.spooled) == (0, 0, 0, 0)
    landed = collector.in_lake()
    assert {id_: landed.get(id_) for id_ in ids} == dict.fromkeys(ids, 1)


def test_a_program_that_is_killed_leaves_what_it_had_recorded(collector: Served, tmp_path: Path, new_client: NewClient):
    collector.faults.extend(["lose", "busy", "away", "away"])
    status, ids = run("killed", collector, tmp_path / "spool")
    assert (status, len(ids)) == (-9, 300)
    heir = new_client(collector.url)
    deliver(heir, ids, collector)
    landed = collector.in_lake()
    assert {id_: landed[id_] for id_ in ids} == dict.fromkeys(ids, 1)
    assert heir.stats.dropped == 0


def test_a_fork_sends_its_own_events_and_none_of_its_parents(collector: Served, tmp_path: Path, new_client: NewClient):
    status, ids = run("forked", collector, tmp_path / "spool")
    assert (status, len(ids)) == (0, 65)
    deliver(new_client(collector.url), ids, collector)
    sent = [id_ for request in collector.requests for id_ in request]
    assert len(sent) - len(set(sent)) <= 5, "only what the child had left may have been sent twice"
    landed = collector.in_lake()
    assert {id_: landed[id_] for id_ in ids} == dict.fromkeys(ids, 1)


def test_the_end_of_a_program_sends_what_waits_or_leaves_it_in_the_spool(
    collector: Served, tmp_path: Path, new_client: NewClient
):
    status, ids = run("ended", collector, tmp_path / "spool")
    assert status == 0
    assert set(ids) <= {event["id"] for event in collector.written()}
    assert [path for path in (tmp_path / "spool").rglob("*") if path.is_file()] == []

    collector.faults.extend(["away"] * 100_000)
    status, ids = run("ended", collector, tmp_path / "spool", wait=0.3)
    assert (status, len(ids)) == (0, 40)
    collector.faults.clear()
    heir = new_client(collector.url)
    deliver(heir, ids, collector)
    assert heir.stats.adopted == 40


def test_clients_for_other_collectors_leave_a_spool_alone(collector: Served, tmp_path: Path, new_client: NewClient):
    collector.faults.extend(["away"] * 1_000)
    one = new_client(collector.url)
    one.thumb("r1", up=True)
    one.close(0.1)
    collector.faults.clear()
    with Flywheel(f"{collector.url}/", source="other", spool=tmp_path / "spool", settings=FAST) as other:
        other.thumb("r2", up=True)
        assert other.flush(60)
        assert other.stats.adopted == 0
