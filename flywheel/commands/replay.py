"""`flywheel replay`: a new home from the log or the lake of another, and whether its marts are the same."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.table import Table

from flywheel.place import existing_home, open_event_log, placed
from flywheel.tables import show
from ingest.home import Home
from ingest.replay import Replayed, Selection, begin, from_lake, from_log
from models.errors import TerminalError
from models.topics import TOPICS

MOMENTS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"]


@click.command()
@placed
@click.option("--into", required=True, metavar="DIR", type=click.Path(path_type=Path), help="The new home.")
@click.option(
    "--from",
    "origin",
    type=click.Choice(["log", "lake"]),
    help="Default: log; of a part, and where the log's retention has passed, the lake.",
)
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="This topic only; repeatable.")
@click.option("--since", type=click.DateTime(MOMENTS), help="What arrived from then on (UTC).")
@click.option("--until", type=click.DateTime(MOMENTS), help="What arrived before then (UTC).")
@click.option("--type", "types", multiple=True, metavar="PATTERN", help="Event types, as in 'feedback.*'; repeatable.")
@click.option("--no-build", is_flag=True, help="Land only: no build, no comparison.")
def replay(  # noqa: PLR0917 - a command's options
    into: Path, origin: str | None, topics: tuple[str, ...], since: datetime | None, until: datetime | None,
    types: tuple[str, ...], no_build: bool,
) -> None:  # fmt: skip
    """Land the log of --home, or a part of its lake, in a new home, build it, and compare the marts of both.

    Positions and times of arrival are kept, and every record is read again by today's code. Of the whole, equal marts
    are expected, and another result ends with exit code 1; of a part, the table shows what the part changes.

    \b
    Examples:
      flywheel replay --into /tmp/again                          is the warehouse a function of the log?
      flywheel replay --into /tmp/may --since 2026-05-01 --until 2026-06-01
      flywheel replay --type 'feedback.*' --topic feedback --into /tmp/feedback
    """
    home = existing_home()
    if into.expanduser().absolute() == home.path:
        raise TerminalError(f"--into {into} is the home itself: name a new folder")
    wanted = Selection(
        frozenset(topics or TOPICS),
        since.replace(tzinfo=UTC) if since else None,
        until.replace(tzinfo=UTC) if until else None,
        types,
    )
    whole = wanted == Selection()
    if origin == "log" and not whole:
        raise TerminalError("a part is replayed from the lake, which knows what was erased: leave out --from log")
    new = Home.open(into)
    with open_event_log(home, looking=True) as log:
        begin(new, log, str(home.facts().get("log_url") or f"embedded:{home.path}"))
        from_the_log = whole and origin != "lake"
        done = _landed(from_log(log, new) if from_the_log else from_lake(home, new, wanted))
    table = Table("topic", "records", "landed", "no events")
    for topic in done:
        table.add_row(topic.topic, f"{topic.seen:,}", f"{topic.landed:,}", f"{topic.errors:,}")
    show(table)
    if no_build:
        return
    from transforms.build import build

    build(new)
    if not home.warehouse.exists():
        click.echo(f"home {home.path} has no build to compare with: flywheel build")
        return
    if not _compared(home, new) and whole:
        raise TerminalError("the marts differ, see the table: is the home built (flywheel build), by this version?")


def _landed(topics: Iterable[Replayed]) -> list[Replayed]:
    done: list[Replayed] = []
    for topic in topics:
        click.echo(f"{topic.topic}: {topic.landed:,} records", err=True)
        done.append(topic)
    return done


def _compared(left: Home, right: Home) -> bool:
    from transforms.comparison import compare

    table = Table("table", "here", "replayed", "only here", "only replayed", "")
    found = compare(left, right)
    for one in found:
        table.add_row(one.table, str(one.left), str(one.right), str(one.only_left), str(one.only_right),
                      "equal" if one.equal else "DIFFERS")  # fmt: skip
    show(table)
    return all(one.equal for one in found)
