"""`flywheel dead-letters`: records that are no events; to list, to look at, and to put right."""

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import click
from rich.table import Table

from flywheel.place import existing_home, open_event_log, placed
from flywheel.tables import show as show_table
from ingest.sink.refused import Place, Refused, correct, read_again, refused
from models.errors import BadEvent, TerminalError
from models.unicode import printable

LONGEST = 90
"""Characters of a reason in the list."""


@click.group("dead-letters")
@placed
def dead_letters() -> None:
    """Records that landed and are no events: kept whole, with the reason. They count as nothing until put right.

    \b
    Example:
      flywheel dead-letters list
    """


@dead_letters.command("list")
@placed
@click.option("--topic", metavar="NAME", help="Of this topic only.")
@click.option("--reason", default="", metavar="TEXT", help="Those whose reason contains this.")
@click.option(
    "--limit", default=50, type=click.IntRange(min=0), show_default=True, help="How many to show; all are counted."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, all of them.")
def list_(topic: str | None, reason: str, limit: int, as_json: bool) -> None:
    """Where each stands and why it is none, oldest place first.

    \b
    Examples:
      flywheel dead-letters list --reason 'not JSON'
      flywheel dead-letters list --json | jq -r .reason | sort | uniq -c
    """
    found = refused(existing_home(), topic=topic, reason=reason)
    if as_json:
        for one in found:
            said = {"place": str(one.place), "received_at": one.received_at.isoformat(), "reason": one.reason}
            click.echo(json.dumps(said))
        return
    table = Table("place", "arrived", "bytes", "reason")
    reasons: Counter[str] = Counter()
    for one in islice(found, limit):
        reasons[one.place.topic] += 1
        table.add_row(str(one.place), f"{one.received_at:%Y-%m-%d %H:%M:%S}", f"{len(one.record.value):,}",
                      one.reason if len(one.reason) <= LONGEST else one.reason[: LONGEST - 3] + "...")  # fmt: skip
    for one in found:
        reasons[one.place.topic] += 1
    show_table(table)
    by_topic = ", ".join(f"{count} on {name}" for name, count in reasons.most_common())
    click.echo(f"{reasons.total()} in all" + (f": {by_topic}" if by_topic else ""))


@dead_letters.command()
@placed
@click.option("--raw", is_flag=True, help="The bytes alone, as they came.")
@click.argument("place")
def show(raw: bool, place: str) -> None:
    """One of them whole: PLACE is TOPIC/PARTITION/OFFSET, as `list` shows it.

    \b
    Examples:
      flywheel dead-letters show feedback/0/123
      flywheel dead-letters show --raw feedback/0/123 > broken.json
    """
    one = _at(Place.of(place))
    if raw:
        click.echo(one.record.value, nl=False)
        return
    click.echo(f"{one.place}, arrived {one.received_at.isoformat()}\nreason: {one.reason}")
    if one.record.key is not None:
        click.echo(f"key: {_text(one.record.key)}")
    for name, value in one.record.headers:
        click.echo(f"header {printable(name)}: {_text(value)}")
    click.echo(f"\n{_text(one.record.value)}")


@dead_letters.command()
@placed
@click.option("--topic", metavar="NAME", help="Of this topic only.")
@click.option("--reason", default="", metavar="TEXT", help="Those whose reason contains this.")
@click.option(
    "--value",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The corrected event, a CloudEvent as JSON, for the one at PLACE.",
)
@click.argument("place", required=False)
def retry(topic: str | None, reason: str, value: Path | None, place: str | None) -> None:
    """Read them again where they stand, after a fix of what reads them; or put a corrected event in place of one.

    What is an event now takes its place, with its own time of arrival, however often this is repeated. The build after
    it is a cold one.

    \b
    Examples:
      flywheel dead-letters retry && flywheel build
      flywheel dead-letters retry --value mended.json feedback/0/123
    """
    at = Place.of(place) if place else None
    if value is None:
        again = read_again(existing_home(), topic=topic, reason=reason, at=at)
        still = again.read - again.events
        click.echo(f"{again.read} read again: {again.events} are events now, in {again.files} files; {still} are none")
        if again.events:
            click.echo("flywheel build takes them into the marts")
        return
    if at is None:
        raise TerminalError("--value corrects one record: name its PLACE, as flywheel dead-letters list shows it")
    if topic or reason:
        raise TerminalError("--value corrects the record at PLACE: --topic and --reason choose nothing there")
    one, home = _at(at), existing_home()
    with open_event_log(home) as log:
        try:
            position = correct(log, home, one, value.read_bytes())
        except BadEvent as error:
            raise TerminalError(f"{value} is no event either: {error}") from error
    click.echo(f"appended as {position.topic}/{position.partition}/{position.offset}, in place of {at}")


def _at(place: Place) -> Refused:
    for one in refused(existing_home(), at=place):
        return one
    raise TerminalError(
        f"nothing at {place} that is no event and not settled: flywheel dead-letters list shows what there is"
    )


def _text(content: bytes) -> str:
    return printable(content.decode(errors="backslashreplace"))
