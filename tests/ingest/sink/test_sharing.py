"""Sinks that divide the partitions: none is left out, and who dies or sleeps neither loses nor doubles a record."""

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from ingest.home import Home
from ingest.log import EventLog, Position, open_log
from ingest.sink import FlushPolicy, Landed, Sink
from ingest.sink.presence import Presence, running
from ingest.sink.sharing import ByPresence
from models.topics import TOPICS
from tests.ingest.full_disk import files_end_at
from tests.ingest.sink.written import dead_letters, entries, lake, landed, wait_for

LEASE_S = 1.0
PARTITIONS = [(topic, partition) for topic, contract in TOPICS.items() for partition in range(contract.partitions)]


def owned(share: ByPresence) -> set[tuple[str, int]]:
    return {at for at in PARTITIONS if share.is_mine(*at)}


def test_every_partition_is_one_sinks_however_many_there_are(home: Home) -> None:
    with Presence(home, shares=True) as one, Presence(home, shares=True) as two, Presence(home) as alone:
        assert {sink.name for sink in running(home)} == {one.name, two.name, alone.name}
        shares = [ByPresence(home), ByPresence(home)]
        for share, name in zip(shares, (one.name, two.name), strict=True):
            share.look(name)
        first, second = map(owned, shares)
        assert first | second == set(PARTITIONS)
        assert not first & second
        assert abs(len(first) - len(second)) <= 1
        assert {topic for topic, _ in first} & {topic for topic, _ in second}, "a topic's partitions are divided"
    shares[0].look("gone")
    assert owned(shares[0]) == set()
    assert running(home) == []


def test_a_sink_that_gives_no_sign_of_life_loses_its_part(home: Home) -> None:
    with Presence(home, shares=True) as awake, Presence(home, shares=True) as asleep:
        long_ago = time.time() - 60
        os.utime(home.path / "sinks" / f"{asleep.name}.json", (long_ago, long_ago))
        share = ByPresence(home)
        share.look(awake.name)
        assert owned(share) == set(PARTITIONS)
        asleep.beat("the disk is full")
        assert {sink.trouble for sink in running(home)} == {"", "the disk is full"}


def test_a_full_disk_ends_no_sign_of_life(home: Home) -> None:
    with files_end_at(0), Presence(home) as sink:
        sink.beat("the disk is full")
    assert running(home) == []


class Part:
    """A share that a test deals out."""

    shares = True

    def __init__(self, *mine: int) -> None:
        self.mine = set(mine)

    def look(self, name: str) -> None:
        """It is dealt out by hand."""

    def is_mine(self, topic: str, partition: int) -> bool:
        return partition in self.mine

    def close(self) -> None:
        """Nothing to leave."""


def test_what_a_sink_holds_of_a_partition_that_moved_is_the_next_owners(home: Home, log: EventLog) -> None:
    """A rebalance while a batch is held: the owner before drops it, and comes back to where the lake then ends."""
    never = FlushPolicy(seconds=1e9)
    written = log.append(entries(range(60)))
    moved = Part(0, 1, 2)
    before, after = Sink(log, home, never, share=moved), Sink(log, home, share=Part(0))
    before.step()
    moved.mine = {1, 2}

    in_the_first = sum(position.partition == 0 for position in written)
    assert after.drain().rows == in_the_first
    assert before.drain().rows == 60 - in_the_first

    written += log.append(entries(range(60, 90)))
    moved.mine = {0, 1, 2}
    assert before.drain().rows == 30
    assert after.drain() == Landed()
    assert landed(home) == sorted(written)
    assert len(dead_letters(log)) == 9


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.kafka)])
def url(request: pytest.FixtureRequest) -> str | None:
    if request.param == "embedded":
        return None
    return f"kafka://{request.getfixturevalue('kafka_bootstrap')}/test-{os.urandom(8).hex()}"


@pytest.fixture
def shared(home: Home, url: str | None) -> Iterator[EventLog]:
    with open_log(url, home.path) as opened:
        yield opened


def test_three_share_one_is_killed_and_one_sleeps_until_its_partitions_have_moved(
    home: Home, shared: EventLog, url: str | None, start: Callable[..., int]
) -> None:
    written: list[Position] = []

    def write() -> None:
        written.extend(shared.append(entries(range(len(written), len(written) + 30))))

    def level() -> bool:
        return any(home.lake.glob("feedback/[0-9]/*.parquet")) and len(landed(home)) == len(written)

    write()
    killed, slept, stays = (start(log=url, lease_s=6.0 if url else LEASE_S, rows=40, seconds=0.1) for _ in range(3))
    wait_for(lambda: len(running(home)) == 3 and level())
    write()
    os.kill(killed, signal.SIGKILL)
    os.kill(slept, signal.SIGSTOP)
    for _ in range(5):
        write()
    wait_for(level)  # that can only be when the one that stays has taken over from both
    write()
    os.kill(slept, signal.SIGCONT)
    for _ in range(5):
        write()
    wait_for(level)
    for pid in (slept, stays):
        os.kill(pid, signal.SIGTERM)
    wait_for(lambda: not any(sink.pid in (slept, stays) for sink in running(home)))

    assert landed(home) == sorted(written)
    assert lake(home)["error"].is_not_null().sum() == len(written) // 10
    assert len(set(dead_letters(shared))) == len(written) // 10
