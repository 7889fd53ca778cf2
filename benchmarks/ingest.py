"""Events from Kafka to a readable lake, by CPU second: Flywheel beside dlt, a bare poll, and what is possible at all.

    python -m benchmarks.ingest [--json FILE] [--events N] [--quick] [--full]

One real broker, one input, one machine, one run. Each contestant runs in a process of its own, in turns, some rounds;
the median counts. CPU seconds are of the consuming process with all its threads, since wall clock depends on who else
is at work. `--full` also lands a backlog of 5 million events, for the peak memory.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.ingest_contestants import CONTESTANTS
from benchmarks.ingest_input import broken, entries
from ingest.kafka_broker.broker import broker
from ingest.log import Entry, open_log

QUICK, USUAL, BACKLOG = 60_000, 500_000, 5_000_000
ROUNDS = 3
CHUNK = 20_000
QUIET = {"RUNTIME__LOG_LEVEL": "CRITICAL", "RUNTIME__DLTHUB_TELEMETRY": "false"}
"""dlt says much, and calls home, neither of which is to count against it."""
WHAT = {
    "flywheel": "Flywheel, kafka-python, full validation",
    "fast": "Flywheel [fast], full validation",
    "dlt": "dlt into DuckDB by Parquet, no validation",
    "poll": "bare kafka-python poll, thrown away",
    "limit": "limit: confluent-kafka, msgspec, pyarrow",
}


def main() -> None:
    """Measure, print a table, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--events", type=int, help=f"events in the input (default {USUAL:,}; with --quick {QUICK:,})")
    parser.add_argument("--quick", action="store_true", help="a small input")
    parser.add_argument("--full", action="store_true", help=f"peak memory with a backlog of {BACKLOG:,} events")
    arguments = parser.parse_args()
    count = arguments.events or (QUICK if arguments.quick else USUAL)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in CONTESTANTS}
    with broker() as servers:
        _fill(servers, "ingest", count)
        for _ in range(ROUNDS):
            for name in CONTESTANTS:
                runs[name].append(_run(name, servers, "ingest", count))
        backlog = 0
        peaks = [run["rss_mb"] for name in ("flywheel", "fast") for run in runs[name]]
        if arguments.full:
            backlog = BACKLOG
            _fill(servers, "backlog", backlog)
            peaks += [_run(name, servers, "backlog", backlog)["rss_mb"] for name in ("flywheel", "fast")]
    rates = {name: median(run["events"] / run["cpu_s"] for run in each) for name, each in runs.items()}
    figures: dict[str, Any] = {
        "events_per_cpu_s": rates["flywheel"],
        "fast_events_per_cpu_s": rates["fast"],
        "dlt_events_per_cpu_s": rates["dlt"],
        "poll_events_per_cpu_s": rates["poll"],
        "limit_events_per_cpu_s": rates["limit"],
        "ratio_dlt": rates["flywheel"] / rates["dlt"],
        "fast_ratio_dlt": rates["fast"] / rates["dlt"],
        "ratio_poll": rates["flywheel"] / rates["poll"],
        "ratio_limit": rates["fast"] / rates["limit"],
        "peak_rss_mb": max(peaks),
        "events": count,
        "backlog_events": backlog or count,
        "rounds": ROUNDS,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    _print(figures, rates, runs)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def _fill(servers: str, prefix: str, count: int) -> None:
    """Put the input into the log."""
    with tempfile.TemporaryDirectory() as folder, open_log(f"kafka+fast://{servers}/{prefix}", Path(folder)) as log:
        rest: Iterable[Entry] = entries(count)
        while chunk := list(islice(rest, CHUNK)):
            log.append(chunk)


def _run(name: str, servers: str, prefix: str, count: int) -> dict[str, Any]:
    """One contestant, once, in a folder that goes with it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.ingest_contestants", name, servers, prefix, f"{folder}/home"]
        ran = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
            env={**os.environ, **QUIET},
        )
    run = json.loads(ran.stdout.splitlines()[-1])
    if run["events"] != count or (name != "poll" and run["broken"] != broken(count)):
        raise SystemExit(f"{name} saw {run['events']:,} events, {run['broken']:,} broken: expected {count:,}")
    return run


def _print(figures: dict[str, Any], rates: dict[str, float], runs: dict[str, list[dict[str, Any]]]) -> None:
    print(f"\n{'':44} {'events per CPU s':>16} {'us an event':>12} {'rounds (events per CPU s)':>30} {'peak MB':>8}")
    for name, what in WHAT.items():
        each = " ".join(f"{run['events'] / run['cpu_s']:9,.0f}" for run in runs[name])
        peak = max(run["rss_mb"] for run in runs[name])
        print(f"{what:44} {rates[name]:16,.0f} {1e6 / rates[name]:12.1f} {each:>30} {peak:8.0f}")
    goals = {"ratio_dlt": 3.5, "fast_ratio_dlt": 6.0, "ratio_poll": 0.4, "ratio_limit": 0.5}
    for key, goal in goals.items():
        print(f"{key:16} {figures[key]:6.2f}   (goal >= {goal})")
    print(f"{'peak_rss_mb':16} {figures['peak_rss_mb']:6.0f}   (goal < 500, backlog {figures['backlog_events']:,})")


if __name__ == "__main__":
    main()
