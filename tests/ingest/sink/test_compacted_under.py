"""Compaction under sinks that sleep, land and start again: no row is lost or doubled."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from ingest.home import Home
from ingest.lake.compaction import CompactionPolicy, compact
from ingest.lake.segments import live_segments
from ingest.log import EventLog
from ingest.sink import FlushPolicy, Sink
from ingest.sink.lag import lag
from tests.ingest.sink.written import dead_letters, entries, landed, wait_for

NOW = CompactionPolicy(segments=1, grace_s=0)


def test_a_sink_that_slept_through_a_compaction_doubles_nothing(
    home: Home, log: EventLog, start: Callable[..., int]
) -> None:
    written = log.append(entries(range(100)))
    sleeper = start(rows=1_000, seconds=3.0)
    wait_for(lambda: all(f"first:feedback/{partition}" in home.facts() for partition in range(3)))
    time.sleep(0.5)  # it holds the hundred, and would land them a while from now
    os.kill(sleeper, signal.SIGSTOP)
    for first in range(100, 160, 20):
        Sink(log, home, FlushPolicy(rows=30)).drain()
        written += log.append(entries(range(first, first + 20)))
    Sink(log, home).drain()
    compact(home, NOW)
    compact(home, NOW)
    assert not any(segment.stem == "0" * 20 for p in range(3) for segment in live_segments(home, "feedback", p))
    written += log.append(entries(range(200, 230)))

    os.kill(sleeper, signal.SIGCONT)
    wait_for(lambda: len(landed(home)) >= len(written))
    os.kill(sleeper, signal.SIGTERM)
    wait_for(lambda: not Path(f"/proc/{sleeper}").exists() or not any(lag(log, home).values()))

    assert landed(home) == sorted(written)


def test_a_sink_goes_on_where_a_compacted_lake_ends(home: Home, log: EventLog) -> None:
    written = log.append(entries(range(60)))
    going = Sink(log, home, FlushPolicy(rows=10))
    for first in range(60, 180, 30):
        going.drain()
        compact(home, NOW)
        assert not any(lag(log, home).values())
        written += log.append(entries(range(first, first + 30)))
    Sink(log, home).drain()
    assert landed(home) == sorted(written)
    assert len(dead_letters(log)) == 18
