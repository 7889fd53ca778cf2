"""The stages in their order, again and again until a whole turn changes nothing."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
from rich.console import Console
from rich.table import Table

from flywheel.commands.import_ import describe
from flywheel.demo.exports import Export, exports
from flywheel.fresh import fresh
from flywheel.loop import evaluate, publish_specs, train
from flywheel.progress import bar
from flywheel.promotion import Asked, Told, promote
from flywheel.report.page import stages
from flywheel.sample import feed, feed_experiment
from flywheel.workers import news, summary
from ingest.home import Home
from ingest.importers.run import import_file
from ingest.jobs.board import Board
from ingest.log import EventLog, publish
from ingest.reports.run import Filed
from ingest.reports.run import run as run_rules
from ingest.sink import Sink
from models.errors import FlywheelError
from transforms.build import build
from transforms.specs.publish import Published
from transforms.taxonomy.discover import Discovered, discover_modes

T = TypeVar("T")

TURNS = 12
"""A loop that has not come to rest by then is a fault, and is said aloud."""


class Outcome(NamedTuple):
    """What is in the warehouse when nothing is left to do."""

    stages: list[tuple[str, int, str]]
    turns: int
    seconds: dict[str, float]
    """Stage -> wall-clock seconds, all turns together."""

    def table(self) -> str:
        """The same as a table for a terminal."""
        title = f"{self.turns} turn{'s' if self.turns > 1 else ''} of the loop in {sum(self.seconds.values()):.0f} s"
        table = Table("stage", "count", "table in SQL", title=title)
        table.columns[1].justify = "right"
        for name, count, mart in self.stages:
            table.add_row(name, f"{count:,}", mart)
        console = Console(highlight=False, markup=False)
        with console.capture() as captured:
            console.print(table)
        return captured.get()


def run(home: Home, log: EventLog, data: Path | None, *, full: bool = False) -> Outcome:
    """Feed the sample, or the exports below `data`, and turn the loop until it rests.

    `full`: with an experiment, and on the sample three assistants that are compared on a failure mode of it.
    """
    demo = _Demo(home, log)
    if full and data is None:
        from flywheel.demo.assistants import assistants

        with assistants(home) as registered:
            demo.stage(
                "register", lambda: publish(log, registered), lambda _: f"{len(registered)} assistants to compare"
            )
            outcome = _run(demo, log, data, full=full)
            demo.promote([each.checkpoint_id for each in registered])
            return outcome._replace(stages=stages(home), seconds=demo.seconds)
    return _run(demo, log, data, full=full)


def _run(demo: "_Demo", log: EventLog, data: Path | None, *, full: bool) -> Outcome:
    if data is None:
        demo.stage("feed", lambda: feed(log), lambda fed: f"{fed} events of the bundled sample")
    else:
        for export in exports(data):
            demo.stage("import", lambda export=export: demo.read(export), lambda account: account)
    if full:
        demo.stage("feed", lambda: feed_experiment(log), lambda fed: f"{fed} events of an experiment")
    for turn in range(1, TURNS + 1):
        click.echo(f"turn {turn}")
        if not demo.turn():
            return Outcome(stages(demo.home), turn, demo.seconds)
    where = demo.home.path
    raise FlywheelError(f"the loop has not come to rest after {TURNS} turns: see flywheel status --home {where}")


class _Demo:
    """One run: where it works, and how long each stage took."""

    def __init__(self, home: Home, log: EventLog) -> None:
        self.home = home
        self._log = log
        self.seconds: dict[str, float] = {}

    def read(self, export: Export) -> str:
        """Import one export; what became of its rows."""
        name = export.path.name
        with bar(name) as show:
            account = import_file(self._log, self.home, export.importer, export.path, export.options, show)
        return describe(name, account, export.importer.name)

    def turn(self) -> bool:
        """One turn; whether it changed anything that the next one could act on."""
        home, log = self.home, self._log
        self._land()
        discovered = 0
        while any(self.stage("modes", lambda: discover_modes(home, log), _say_found)):
            discovered += 1
            self._land()
        published = self.stage("specs", lambda: publish_specs(home, log), _say_published)
        with news(quiet=True) as tell:
            trained = self.stage("training", lambda: train(home, log, tell, once=True), summary)
            scored = self.stage("evals", lambda: evaluate(home, log, tell, once=True), summary)
        return any((discovered, *published, *trained, *scored))

    def promote(self, names: list[str]) -> None:
        """Put each that nothing was decided about up against the champion, on a failure mode of the sample."""
        from flywheel.demo.assistants import EVAL, WANTED

        for name in names:
            board = Board(self._log)
            board.refresh()
            if all(each.checkpoint_id != name for each in board.decisions):
                asked = Asked(name, (EVAL,), wanted=WANTED)
                self.stage("promote", lambda asked=asked: self._decide(asked), _say_decided)
        self._land()

    def _decide(self, asked: Asked) -> Told:
        told = promote(self.home, self._log, asked, fresh)
        if told.outcome == "waiting":
            with news(quiet=True) as tell:
                evaluate(self.home, self._log, tell, once=True, only=set(told.jobs))
            told = promote(self.home, self._log, asked, fresh)
        return told

    def _land(self) -> None:
        self.stage("sink", lambda: Sink(self._log, self.home).drain(), lambda landed: f"{landed.rows:,} records landed")
        filed = self.stage("reports", lambda: run_rules(self.home, self._log), _say_filed)
        if filed.reports:
            Sink(self._log, self.home).drain()
        with bar("build") as show:
            self.stage("build", lambda: build(self.home, show), lambda built: f"generation {built.number}")

    def stage(self, name: str, work: Callable[[], T], say: Callable[[T], str]) -> T:
        """Run one stage and say what it did and how long it took."""
        started = time.monotonic()
        console = Console(stderr=True)
        if console.is_terminal:
            console.print(f"  {name} ...", end="\r")
        outcome = work()
        took = time.monotonic() - started
        self.seconds[name] = self.seconds.get(name, 0.0) + took
        click.echo(f"  {name:9} {say(outcome)} ({took:.1f} s)")
        return outcome


def _say_decided(told: Told) -> str:
    return f"{told.outcome}: {told.said}"


def _say_filed(filed: Filed) -> str:
    return f"{sum(filed.reports.values())} filed by {len(filed.reports)} rules"


def _say_found(found: Discovered) -> str:
    return f"{found.proposed} proposed, {found.accepted} accepted"


def _say_published(done: Published) -> str:
    return f"{done.issued} issued, {done.queued} jobs queued"
