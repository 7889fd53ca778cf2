"""The stages in their order, again and again until a whole turn changes nothing."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
from rich.console import Console
from rich.table import Table

from flywheel.commands.import_ import describe
from flywheel.demo.exports import exports
from flywheel.loop import evaluate, publish_specs, train
from flywheel.progress import bar
from flywheel.report.page import stages
from flywheel.sample import feed
from flywheel.workers import news, summary
from ingest.home import Home
from ingest.importers import find
from ingest.importers.run import import_file
from ingest.log import EventLog
from ingest.sink import Sink
from models.errors import FlywheelError
from transforms.build import build
from transforms.taxonomy.discover import Discovered, discover_modes

T = TypeVar("T")

TURNS = 12
"""A loop that has not come to rest by then is a fault, and is said aloud."""


class Outcome(NamedTuple):
    """What is in the warehouse when nothing is left to do."""

    stages: list[tuple[str, int, str]]
    turns: int
    seconds: float

    def table(self) -> str:
        """The same as a table for a terminal."""
        table = Table("stage", "count", "table in SQL", title=f"{self.turns} turns of the loop in {self.seconds:.0f} s")
        table.columns[1].justify = "right"
        for name, count, mart in self.stages:
            table.add_row(name, f"{count:,}", mart)
        console = Console(highlight=False, markup=False)
        with console.capture() as captured:
            console.print(table)
        return captured.get()


def run(home: Home, log: EventLog, data: Path | None) -> Outcome:
    """Feed the sample, or the exports below `data`, and turn the loop until it rests."""
    started = time.monotonic()
    if data is None:
        _stage("feed", lambda: feed(log), lambda fed: f"{fed} events of the bundled sample")
    else:
        for path, export in exports(data):
            with bar(path.name) as show:
                account = import_file(log, home, find(export.format), path, dict(export.options), show)
            click.echo(describe(path.name, account))
    for turn in range(1, TURNS + 1):
        click.echo(f"turn {turn}")
        if not _turn(home, log):
            return Outcome(stages(home), turn, time.monotonic() - started)
    raise FlywheelError(f"the loop has not come to rest after {TURNS} turns: see flywheel status --home {home.path}")


def _turn(home: Home, log: EventLog) -> bool:
    """One turn; whether it changed anything that the next one could act on."""
    _land(home, log)
    discovered = 0
    while any(_stage("modes", lambda: discover_modes(home, log), _say_found)):
        discovered += 1
        _land(home, log)
    published = _stage(
        "specs", lambda: publish_specs(home, log), lambda done: f"{done.issued} issued, {done.queued} jobs queued"
    )
    with news(quiet=True) as tell:
        trained = _stage("training", lambda: train(home, log, tell, once=True), summary)
        scored = _stage("evals", lambda: evaluate(home, log, tell, once=True), summary)
    return any((discovered, *published, *trained, *scored))


def _say_found(found: Discovered) -> str:
    return f"{found.proposed} proposed, {found.accepted} accepted"


def _land(home: Home, log: EventLog) -> None:
    _stage("sink", lambda: Sink(log, home).drain(), lambda landed: f"{landed.rows:,} records landed")
    _stage("build", lambda: build(home), lambda built: f"generation {built.number}")


def _stage(name: str, work: Callable[[], T], say: Callable[[T], str]) -> T:
    """Run one stage and say what it did and how long it took."""
    started = time.monotonic()
    console = Console(stderr=True)
    if console.is_terminal:
        console.print(f"  {name} ...", end="\r")
    outcome = work()
    click.echo(f"  {name:9} {say(outcome)} ({time.monotonic() - started:.1f} s)")
    return outcome
