"""`make test-faults`: every fault on real Apache Kafka, then a table of what became of the events.

`python -m tests.faults [--json FILE] [--only NAME]...`. Exit status 1 if an accepted event was lost or doubled, or a
fault that should be refused was not. No part of `make test`: it takes minutes.
"""

import json
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.table import Table

from ingest.kafka_broker.cluster import cluster
from tests.faults.catalogue import FAULTS
from tests.faults.stage import Outcome, Stage

SETTINGS = {
    "log.retention.check.interval.ms": "500",
    "log.initial.task.delay.ms": "500",
    "replica.lag.time.max.ms": "5000",
    "broker.session.timeout.ms": "5000",
    "broker.heartbeat.interval.ms": "1000",
}
"""Of the brokers: shorter than in production, so that a fault shows within seconds."""


@click.command()
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write the counts here.")
@click.option("--only", multiple=True, type=click.Choice(list(FAULTS)), help="Only this fault; repeatable.")
def main(file: Path | None, only: tuple[str, ...]) -> None:
    """Run the faults one after the other."""
    for number in (signal.SIGINT, signal.SIGTERM):  # however it is ended, no broker stays behind
        signal.signal(number, _end)
    outcomes: dict[str, Outcome] = {}
    with cluster(3, settings=SETTINGS) as brokers:
        stage = Stage(brokers)
        for name in only or FAULTS:
            began = time.monotonic()
            click.echo(f"{name} ...", err=True)
            try:
                outcomes[name] = FAULTS[name](stage)
            except Exception as error:
                traceback.print_exc()
                outcomes[name] = Outcome(f"{type(error).__name__}: {error}".splitlines()[0][:200], passed=False)
            click.echo(f"  {outcomes[name].what} ({time.monotonic() - began:.0f} s)", err=True)
            stage.mend()
    show(outcomes)
    lost = sum(outcome.lost for outcome in outcomes.values())
    doubled = sum(outcome.doubled for outcome in outcomes.values())
    passed = sum(outcome.passed for outcome in outcomes.values())
    if file:
        counts = {
            "faults": len(outcomes),
            "passed": passed,
            "accepted": sum(outcome.accepted for outcome in outcomes.values()),
            "lost": lost,
            "doubled": doubled,
            "outcomes": {name: outcome._asdict() for name, outcome in outcomes.items()},
        }
        file.write_text(json.dumps(counts, indent=2) + "\n")
    if lost or doubled or passed < len(outcomes):
        sys.exit(1)


def _end(_number: int, _frame: object) -> NoReturn:
    sys.exit(1)


def show(outcomes: dict[str, Outcome]) -> None:
    """The table."""
    table = Table("fault", "accepted", "lost", "doubled", "", "outcome")
    for name, outcome in outcomes.items():
        counts = (f"{outcome.accepted:,}", f"{outcome.lost:,}", f"{outcome.doubled:,}")
        table.add_row(name.replace("_", " "), *counts, "ok" if outcome.passed else "FAILED", outcome.what)
    Console(width=150).print(table)


main()
