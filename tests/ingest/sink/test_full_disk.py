import random
import re
import resource
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from ingest.home import Home
from ingest.lake.segments import segments
from ingest.log import EventLog, publish
from ingest.sink import FlushPolicy, Landed, Sink
from ingest.sink.lag import lag
from models.errors import TransientError
from tests.ingest.sink.written import comment, landed, leftovers, wait_for

SOON = FlushPolicy(seconds=0.01)


@contextmanager
def files_end_at(size: int) -> Generator[None]:
    """A disk that is full in mid-write, as far as a test without root gets: the system refuses to go on at `size`."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_in_mid_write_leaves_nothing_and_the_next_run_lands_all(home: Home, log: EventLog) -> None:
    written = publish(log, [comment(number, random.Random(number).randbytes(500).hex()) for number in range(300)])
    sink = Sink(log, home)
    sink.step()

    with files_end_at(20_000), pytest.raises(TransientError) as full:
        sink.drain()

    assert "parquet can't be written: File too large" in str(full.value)
    assert re.search(r"it has [0-9,]+ bytes, [0-9,]+ are free there", str(full.value))
    assert "\n" not in str(full.value)
    assert leftovers(home) == []
    assert not any(segments(home, "feedback", partition) for partition in range(3))

    assert sink.drain() == Landed(300, 0, 3)
    assert landed(home) == sorted(written)


def test_a_sink_that_runs_waits_for_room(home: Home, log: EventLog, caplog: pytest.LogCaptureFixture) -> None:
    written = publish(log, [comment(number, random.Random(number).randbytes(500).hex()) for number in range(300)])
    stop = threading.Event()
    counts: list[Landed] = []
    running = threading.Thread(target=lambda: counts.append(Sink(log, home, SOON).run(stop)))
    with files_end_at(20_000):
        running.start()
        wait_for(lambda: "starts over" in caplog.text)
    wait_for(lambda: not any(lag(log, home).values()))
    stop.set()
    running.join(60)

    assert counts == [Landed(300, 0, 3)]
    assert landed(home) == sorted(written)
