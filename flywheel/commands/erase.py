"""`flywheel erase`: what a person wrote, and what is written about them, is taken out of the home and its log."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich import box
from rich.table import Table

from flywheel import tables
from flywheel.place import open_event_log, open_home, placed
from flywheel.progress import bar
from flywheel.watch import EVERY_S, patiently
from ingest.home import Home
from ingest.log import EventLog
from models.errors import FlywheelError
from models.events.base import at

if TYPE_CHECKING:
    from ingest.erasure.log_records import Kept


@click.command()
@placed
@click.option("--subject", metavar="PERSON", help="The person's id, as products and tools send it.")
@click.option("--reason", metavar="TEXT", help="Why; it stays in the log with the request.")
@click.option("--pending", is_flag=True, help="Carry out the requests that came in over the API or by another home.")
@click.option("--watch", is_flag=True, help="--pending: look again and again, until stopped.")
@click.option("--dry-run", is_flag=True, help="Say what would be erased, and change nothing.")
def erase(subject: str | None, reason: str | None, pending: bool, watch: bool, dry_run: bool) -> None:
    """Erase what a person wrote and what is written about them: all that has arrived by now.

    The lake, the embedded log, quarantine, dead letters, vectors, frozen sets, files of jobs and old builds lose it;
    specs that were made of it are retired, and a certificate lists each file, spec and checkpoint. Kafka can't be
    rewritten: the certificate says until when it keeps what. Killed, the same command goes on.

    \b
    Examples:
      flywheel erase --subject u-4711 --dry-run
      flywheel erase --subject u-4711 --reason "asked by mail, 2026-11-30"
      flywheel erase --pending --watch
    """
    from ingest.erasure.ask import ask
    from ingest.erasure.carry_out import pending as waiting
    from ingest.erasure.catch_up import is_behind

    if (subject is None) == (not pending):
        raise FlywheelError("say whom: --subject PERSON, or --pending for the requests that wait")
    home = open_home()
    with open_event_log(home) as log:
        if dry_run:
            _preview(home, log, subject)
            return
        if subject is not None and ask(home, log, subject, reason) is None:
            _catch_up(home, log)
            click.echo(f"nothing of {subject} is left to erase")
            return
        if not watch and not waiting(home, log):
            _catch_up(home, log)
            click.echo("no request waits")
            return
        patiently(lambda: _carry_out(home, log), watch=watch)
        patiently(lambda: _catch_up(home, log), watch=watch)
        while watch and pending:
            time.sleep(EVERY_S)
            patiently(lambda: _carry_out(home, log), watch=True)
            if is_behind(home):  # as a build has found: to look without one would be a second sink
                patiently(lambda: _catch_up(home, log), watch=True)


def _rebuild(home: Home) -> None:
    from transforms.build import build

    if home.warehouse.exists():
        with bar("build") as show:
            build(home, show)


def _catch_up(home: Home, log: EventLog) -> None:
    """Take what came again after it was erased out of the log, too."""
    from ingest.erasure.catch_up import catch_up

    done = catch_up(home, log, lambda: _rebuild(home))
    if done is not None and done.changed:
        click.echo(f"{done.changed:,} records that came again after they were erased are gone from the log")
    _tell_kept(done.kept if done is not None else [])


def _tell_kept(kept: "Sequence[Kept]") -> None:
    for topic, records, until in kept:
        said = "for ever: its retention has no end" if until is None else at(until)
        click.echo(f"  {topic} on Kafka keeps {records} records until {said}")


def _carry_out(home: Home, log: EventLog) -> None:
    from ingest.erasure.carry_out import carry_out
    from ingest.erasure.certificate import place

    for done in carry_out(home, log, lambda: _rebuild(home)):
        said = done.certificate
        click.echo(
            f"erased {done.request.person_id}: {sum(said['events'].values()):,} records in {len(said['files'])} files; "
            f"{len(said['specs_retired'])} specs retired"
        )
        if said["checkpoints_trained_on_it"]:
            click.echo(f"  trained on what is gone: {', '.join(said['checkpoints_trained_on_it'])}")
        for kept in said["log"]["records_kept"]:
            until = kept["until"] or "for ever: its retention has no end"
            click.echo(f"  {kept['topic']} on Kafka keeps {kept['records']} records until {until}")
        click.echo(f"  certificate {place(home, done.request)} (SHA-256 {done.sha256})")


def _preview(home: Home, log: EventLog, subject: str | None) -> None:
    from ingest.erasure.ask import would_be
    from ingest.erasure.carry_out import pending as waiting
    from ingest.erasure.carry_out import preview
    from ingest.erasure.catch_up import is_behind

    requests = waiting(home, log) if subject is None else [would_be(subject)]
    counts = preview(home, requests)
    table = Table("topic", "source", "records", box=box.SIMPLE_HEAD)
    table.columns[2].justify = "right"
    for topic, sources in counts.items():
        for source, records in sources.items():
            table.add_row(topic, source or "(no event)", f"{records:,}")
    tables.show(table)
    total = sum(records for sources in counts.values() for records in sources.values())
    click.echo(f"{total:,} records of the lake would lose their content; what has not landed yet is not counted")
    if is_behind(home):
        click.echo("the log may still have copies that came again after they were erased: flywheel erase --pending")
