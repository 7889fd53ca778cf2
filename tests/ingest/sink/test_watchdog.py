"""The watchdog: lag that grows while the position stands is said, and nothing else is."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from ingest.home import Home
from ingest.log import EventLog
from ingest.log.embedded import EmbeddedLog
from ingest.sink import FlushPolicy, Sink
from ingest.sink import sink as sink_module
from ingest.sink.watchdog import Watchdog
from models.errors import TerminalError
from tests.ingest.sink.written import entries, landed


def looks(*shown: tuple[int, int, float]) -> list[int]:
    """The patiences that are over, by (position, end, seconds) of each look."""
    watchdog = Watchdog(60.0)
    return [watchdog.look("feedback", 0, *look)[1] for look in shown]


def test_a_position_that_stands_while_the_log_grows_is_said_once_a_patience() -> None:
    assert looks((5, 10, 0), (5, 11, 30), (5, 12, 61), (5, 13, 62), (5, 14, 121)) == [0, 0, 1, 0, 2]


@pytest.mark.parametrize(
    "shown",
    [
        [(5, 10, 0), (5, 10, 100)],  # nothing comes: the lag does not grow
        [(5, 10, 0), (6, 99, 59), (7, 200, 118)],  # slow, but it moves
        [(10, 10, 0), (10, 10, 500), (10, 12, 501)],  # a quiet log is no stall
    ],
)
def test_what_is_no_stall(shown: Sequence[tuple[int, int, float]]) -> None:
    assert looks(*shown) == [0] * len(shown)


def test_it_says_where_since_when_and_how_far() -> None:
    watchdog = Watchdog(60.0)
    watchdog.look("feedback", 2, 5, 10, 0)
    said, _ = watchdog.look("feedback", 2, 5, 99, 61)
    assert said == "feedback/2 has stood at offset 5 for 61 s while the log grew from 10 to 99"
    assert watchdog.standing() == [said]
    watchdog.look("feedback", 2, 6, 99, 62)
    assert watchdog.standing() == []


class Deaf(EmbeddedLog):
    """A log whose reads of one partition bring nothing and raise nothing."""

    def read_columns(self, topic: str, partition: int, offset: int, *, max_records: int = 10_000) -> Any:
        columns = super().read_columns(topic, partition, offset, max_records=0 if partition == 1 else max_records)
        return columns._replace(next_offset=offset) if partition == 1 else columns


def test_a_sink_that_is_stuck_begins_anew_then_ends_and_the_other_partitions_have_landed(
    home: Home, log: EventLog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sink_module, "PATIENCE_S", 0.05)
    monkeypatch.setattr(sink_module, "PATIENCES", 2)
    monkeypatch.setattr(sink_module, "RETRY", 0.01)
    written = log.append(entries(range(30)))
    growing = threading.Event()

    def grow() -> None:
        while not growing.wait(0.01):
            written.extend(log.append(entries(range(30))))

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        told = pytest.raises(TerminalError, match=r"feedback/1 has stood at offset 0 .* so the sink ends. Start it")
        with Deaf(home.log / "log.sqlite") as deaf, told:
            Sink(deaf, home, FlushPolicy(seconds=0.001)).run(threading.Event())
    finally:
        growing.set()
        writer.join()
    assert "feedback/1 has stood at offset 0" in caplog.text
    assert {at.partition for at in landed(home)} == {0, 2}
    Sink(log, home).drain()
    assert landed(home) == sorted(written)
