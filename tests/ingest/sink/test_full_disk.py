import random
import re
import threading

import pytest

from ingest.home import Home
from ingest.lake.segments import segments
from ingest.log import EventLog, publish
from ingest.sink import FlushPolicy, Landed, Sink
from ingest.sink.lag import lag
from models.errors import TransientError
from tests.ingest.full_disk import files_end_at
from tests.ingest.sink.written import comment, landed, leftovers, wait_for

SOON = FlushPolicy(seconds=0.01)


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
