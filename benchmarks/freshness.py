"""How old what readers see is, while everything runs: events at half of the sink's full speed, builds, four readers.

    python -m benchmarks.freshness --json FILE [--quick] [--full]

A real broker on loopback, and a process each for producer, sink, build loop, compaction and readers. Full speed is what
producer, broker and sink reach together on this machine. An event's age is
the time from when it occurred until a reader saw all that had occurred before it; what was not seen by the end counts
with the age that it had then. Three times: in a new home; beside a backfill that comes by its own lane; and with
`--full` in a home that has 20 million events already (`big_`), whose vectors are random: they stand for months of
embedding. No peer: nobody else serves raw events and marts from one file.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from benchmarks.grown_home import grow
from ingest.home import Home
from ingest.kafka_broker.broker import broker
from ingest.lake.segments import ensure_empty, next_position, partitions
from models.topics import TOPICS
from transforms.build import published

ROOT = Path(__file__).parents[1]
STEP_S = 0.05
"""Between two events whose age is asked for."""


class Size(NamedTuple):
    """How much is measured."""

    at_full_speed: float
    """Seconds that full speed is measured for."""
    seconds: float
    backfill: int
    grown: int
    """Events in the home of `big_`; 0: no such home."""


QUICK, USUAL = Size(10, 45, 60_000, 0), Size(30, 180, 1_000_000, 0)
FULL = USUAL._replace(backfill=2_000_000, grown=20_000_000)


def main() -> None:
    """Measure, print a table, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="under a minute each")
    parser.add_argument("--full", action="store_true", help="also in a home of 20 million events")
    parser.add_argument("--grown", type=int, help="events in that home, instead of 20 million")
    parser.add_argument("--rate", type=float, help="events a second, instead of half of full speed")
    arguments = parser.parse_args()
    size = FULL if arguments.full else QUICK if arguments.quick else USUAL
    if arguments.grown:
        size = size._replace(grown=arguments.grown)
    figures: dict[str, Any] = {"cores": os.cpu_count(), "load_before": os.getloadavg()[0]}
    with broker() as servers, tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        full = _full_speed(f"kafka://{servers}/speed", place / "speed", size.at_full_speed)
        rate = arguments.rate or full / 2
        figures |= {"full_speed_events_s": full, "events_s": rate, "seconds": size.seconds}
        home = _new_home(place / "home")
        figures |= _measured(home, f"kafka://{servers}/new", rate, size.seconds, "")
        figures |= _measured(home, f"kafka://{servers}/new", rate, size.seconds, "backfill_", backfill=size.backfill)
        if size.grown:
            big = _new_home(place / "big")
            grow(big, size.grown)
            figures |= _measured(big, f"kafka://{servers}/big", rate, size.seconds, "big_")
    _print(figures)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def _new_home(path: Path) -> Home:
    home = Home.open(path)
    for topic in TOPICS:
        ensure_empty(home, topic)
    return home


def _full_speed(url: str, path: Path, seconds: float) -> float:
    """Events a second that land where producer, broker and sink do nothing but that, and nobody else is at work."""
    home = _new_home(path)
    with (
        _running("flywheel", "sink", "--home", str(home.path), "--log", url),
        _running("benchmarks.freshness_producer", url, "inf", "3600"),
    ):
        time.sleep(seconds / 2)
        began, before = time.monotonic(), _landed(home)
        time.sleep(seconds)
        return (_landed(home) - before) / (time.monotonic() - began)


def _landed(home: Home) -> int:
    """Positions that have landed: nearly as many as events, since nobody writes in transactions."""
    return sum(next_position(home, topic, at) for topic in ("feedback", "responses") for at in partitions(home, topic))


def _measured(home: Home, url: str, rate: float, seconds: float, prefix: str, *, backfill: int = 0) -> dict[str, Any]:
    """Everything at once for `seconds`, after a first build."""
    at = ["--home", str(home.path), "--log", url]
    stop = home.path / f"stop.{time.time_ns()}"
    before = published(home)
    with (
        ExitStack() as stack,
        _running("flywheel", "sink", "--seconds", "0.5", *at),
        _running("flywheel", "compact", "--watch", "--every", "10", *at[:2]),
        _running("flywheel", "build", "--watch", "--every", "0.2", *at[:2]) as builder,
    ):
        while published(home) == before:  # the first build of a loop runs the data tests over all that is there
            if builder.poll() is not None:
                raise SystemExit("the build loop ended")
            time.sleep(0.5)
        stack.enter_context(_running("benchmarks.freshness_producer", url, str(rate), str(seconds + 3_600)))
        time.sleep(seconds / 3)  # until builds come at the pace that they keep
        lane = [_started("benchmarks.freshness_producer", url, *_backlog(backfill))] if backfill else []
        with tempfile.TemporaryFile("w+") as said:  # more than a pipe holds
            readers = _started("benchmarks.freshness_readers", str(home.path), str(stop), said=said)
            time.sleep(seconds)
            stop.touch()
            readers.wait()
            said.seek(0)
            lines = said.read().splitlines()
        for each in lane:
            each.kill()
            each.wait()
    looks = [json.loads(line) for line in lines[:-1]]
    told = json.loads(lines[-1])
    ages = {kind: _ages([look for look in looks if look["kind"] == kind]) for kind in ("raw", "marts", "modes")}
    for error in told["errors"][:3]:
        print(error, file=sys.stderr)
    return {
        f"{prefix}raw_p95_s": _p95(ages["raw"]),
        f"{prefix}marts_p95_s": _p95(ages["marts"]),
        f"{prefix}modes_p95_s": _p95(ages["modes"]),
        f"{prefix}reader_errors": len(told["errors"]),
        f"{prefix}reads": told["reads"],
        f"{prefix}generations": len({look["build"] for look in looks}),
    }


def _ages(looks: list[dict[str, Any]]) -> list[float]:
    """Of an event each STEP_S from the first look on: seconds until it was seen, or until the last look."""
    looks = sorted(looks, key=lambda look: look["at"])
    ages: list[float] = []
    event = looks[0]["at"]
    last = looks[-1]["at"]
    for look in looks:
        while look["upto"] is not None and event <= look["upto"]:
            ages.append(look["at"] - event)
            event += STEP_S
    while event < last:
        ages.append(last - event)
        event += STEP_S
    return ages


def _p95(ages: list[float]) -> float:
    return round(float(np.percentile(ages, 95)), 2)


def _started(module: str, *arguments: str, said: IO[str] | int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=said, text=True)


@contextmanager
def _running(module: str, *arguments: str) -> Generator["subprocess.Popen[str]"]:
    """A process for as long as the block lasts. What it prints is thrown away, so that no full pipe stops it."""
    command = [sys.executable, "-m", module, *arguments]
    quiet = subprocess.DEVNULL
    running = subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet, text=True)
    try:
        yield running
    finally:
        running.send_signal(signal.SIGINT)
        try:
            running.wait(timeout=20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def _backlog(events: int) -> list[str]:
    """Arguments of the producer for so many events as fast as the log takes them, by the lane for backfills."""
    return [str(events / 1_000), "1000", "feedback.backfill"]


def _print(figures: dict[str, Any]) -> None:
    rate, full = figures["events_s"], figures["full_speed_events_s"]
    print(f"\n{rate:,.0f} events a second, full speed is {full:,.0f}; p95 of age in seconds")
    print(f"{'':10} {'raw':>7} {'marts':>7} {'modes':>7} {'reads':>7} {'errors':>7} {'builds':>7}")
    for prefix, what in (("", "new home"), ("backfill_", "backfill"), ("big_", "grown home")):
        if f"{prefix}reads" in figures:
            row = [figures[f"{prefix}{kind}_p95_s"] for kind in ("raw", "marts", "modes")]
            counts = [figures[f"{prefix}{name}"] for name in ("reads", "reader_errors", "generations")]
            print(f"{what:10} " + " ".join(f"{each:7.1f}" for each in row) + " " + " ".join(f"{n:7}" for n in counts))
    print("goals: raw <= 3, marts <= 20 (grown home 60), no error in 1,000 reads; modes wait for their vectors")


if __name__ == "__main__":
    main()
