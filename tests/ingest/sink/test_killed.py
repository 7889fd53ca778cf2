import os
import random
import signal
import time
from collections.abc import Callable

from ingest.home import Home
from ingest.lake.segments import segments
from ingest.log import EventLog, Position
from ingest.sink import FlushPolicy, Sink
from tests.ingest.sink.written import dead_letters, entries, lake, landed, leftovers, wait_for


def test_kill_9_at_random_points_loses_and_doubles_nothing(
    home: Home, log: EventLog, start: Callable[..., int]
) -> None:
    chance = random.Random(5)
    written: list[Position] = []
    poison: set[str] = set()

    def write() -> None:
        positions = log.append(entries(range(len(written), len(written) + 30)))
        poison.update("/".join(map(str, positions[at])) for at in (9, 19, 29))
        written.extend(positions)

    for round_ in range(16):
        before = count(home)
        sink = start(rows=40, seconds=0.03)
        if round_ % 2:  # as soon as it has linked a segment: its dead letters are still to be sent
            write()
            wait_for(lambda before=before: count(home) > before, every=0.0)
        else:
            killed_at = time.monotonic() + chance.uniform(0.0, 0.25)
            while time.monotonic() < killed_at:
                write()
                time.sleep(chance.uniform(0.0, 0.02))
        os.kill(sink, signal.SIGKILL)

    Sink(log, home, FlushPolicy(rows=40)).drain()

    assert landed(home) == sorted(written)
    assert set(dead_letters(log)) == poison
    assert lake(home)["error"].is_not_null().sum() == len(poison)
    assert len(leftovers(home)) <= 16, "more files were left half-written than writers killed"


def test_two_rivals_land_every_row_once(home: Home, log: EventLog, start: Callable[..., int]) -> None:
    written: list[Position] = []
    rivals = [start(rows=25, seconds=0.02), start(rows=40, seconds=0.03)]
    for _ in range(40):
        written += log.append(entries(range(len(written), len(written) + 30)))
        time.sleep(0.01)
    for rival in rivals:
        os.kill(rival, signal.SIGTERM)

    Sink(log, home).drain()

    wait_for(lambda: not any(is_alive(rival) for rival in rivals))
    assert landed(home) == sorted(written)
    assert len(set(dead_letters(log))) == len(written) // 10


def test_a_sink_stopped_while_a_rival_lands_what_it_holds_doubles_nothing(
    home: Home, log: EventLog, start: Callable[..., int]
) -> None:
    written = log.append(entries(range(100)))
    sleeper = start(rows=1_000, seconds=3.0)
    wait_for(lambda: all(f"first:feedback/{partition}" in home.facts() for partition in range(3)))
    time.sleep(0.5)  # it holds the hundred, and would land them a while from now
    os.kill(sleeper, signal.SIGSTOP)
    Sink(log, home).drain()
    written += log.append(entries(range(100, 150)))
    Sink(log, home).drain()
    written += log.append(entries(range(150, 200)))

    os.kill(sleeper, signal.SIGCONT)
    wait_for(lambda: len(landed(home)) >= len(written))
    os.kill(sleeper, signal.SIGTERM)
    wait_for(lambda: not is_alive(sleeper))

    assert landed(home) == sorted(written)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def count(home: Home) -> int:
    return sum(len(segments(home, "feedback", partition)) for partition in range(3))
