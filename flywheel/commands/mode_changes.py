"""`flywheel modes accept` and its like: a person's word on the taxonomy, as events."""

import getpass
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from flywheel.place import open_event_log, open_home, placed
from ingest.log import publish
from models.errors import TerminalError
from models.events import AnyEvent
from models.events.taxonomy import ModePart, ModeSplit
from models.feedback import LONGEST_NAME
from transforms.taxonomy import changes
from transforms.taxonomy.changes import Word
from transforms.taxonomy.fold import Taxonomy
from transforms.taxonomy.taxonomy_file import parts, read
from transforms.taxonomy.told import told

F = TypeVar("F", bound=Callable[..., Any])

NEXT = "it shows after flywheel sink --once && flywheel build"


def by_option(command: F) -> F:
    """Add `--by`: who says so."""
    return click.option("--by", metavar="PERSON", help="Who says so; default: the login of this machine.")(command)


def signed(command: F) -> F:
    """Add `--by` and `--reason`."""
    return by_option(click.option("--reason", metavar="TEXT", help="Why, for the history.")(command))


def person(by: str | None) -> str:
    """Who says so. Raises TerminalError where nobody can be named."""
    if by is not None:
        if not 1 <= len(by.strip()) <= LONGEST_NAME:
            raise TerminalError(f"--by is empty, or longer than {LONGEST_NAME} characters: name the person who says so")
        return by.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise TerminalError("this machine has no login name: name the person with --by") from error


def _append(by: str | None, reason: str | None, change: Callable[[Taxonomy, Word], AnyEvent]) -> AnyEvent:
    """Work out one change by the log as it is, append it."""
    home = open_home()
    with open_event_log(home) as log, home.lock("taxonomy"):
        event = change(told(log).taxonomy, Word(person(by), datetime.now(UTC), reason))
        publish(log, [event])
    return event


@click.command()
@placed
@signed
@click.argument("mode")
def accept(mode: str, by: str | None, reason: str | None) -> None:
    """Accept a proposed MODE, merge or split: by id, or a mode by its name.

    A mode that was rejected, retired or merged comes back by it. What waits: flywheel modes list --queue.

    \b
    Examples:
      flywheel modes accept mode-4be1c0a2f3d91e07
      flywheel modes accept "Llama / sticker" --by ann --reason "seen by support as well"
    """
    event = _append(by, reason, lambda known, word: changes.accept(known, mode, word))
    click.echo(f"accepted: {mode} ({event.type}); {NEXT}")


@click.command()
@placed
@signed
@click.argument("mode")
def reject(mode: str, by: str | None, reason: str | None) -> None:
    """Reject a proposed MODE, merge or split: by id, or a mode by its name. Its like is not proposed again.

    \b
    Example:
      flywheel modes reject merge-02c1d5a7b8e94f36 --reason "another cause"
    """
    event = _append(by, reason, lambda known, word: changes.reject(known, mode, word))
    click.echo(f"rejected: {mode} ({event.type}); {NEXT}")


@click.command()
@placed
@signed
@click.argument("modes", nargs=-1, required=True)
@click.option("--into", required=True, metavar="MODE", help="The mode that they count as from now on.")
def merge(modes: tuple[str, ...], into: str, by: str | None, reason: str | None) -> None:
    """Merge MODES into another: what shows one of them counts as the target's, at all times.

    \b
    Example:
      flywheel modes merge mode-4be1c0a2f3d91e07 latency_cost --into tool_use
    """
    _append(by, reason, lambda known, word: changes.merge(known, modes, into, word))
    click.echo(f"merged into {into}: {', '.join(modes)}; {NEXT}")


@click.command()
@placed
@signed
@click.argument("mode")
@click.option(
    "--from",
    "file",
    metavar="FILE.yaml",
    type=click.Path(exists=True, dir_okay=False),
    help="The parts, in the shape of a taxonomy file (docs/taxonomy.md).",
)
@click.option("--into", "into", multiple=True, metavar="MODE", help="A part that is a mode already; repeatable.")
def split(mode: str, file: str | None, into: tuple[str, ...], by: str | None, reason: str | None) -> None:
    """Split MODE into several: it stands for nothing any more, and its comments go to the parts, by what shows each.

    \b
    Examples:
      flywheel modes split communication --from parts.yaml
      flywheel modes split communication --into mode-4be1c0a2f3d91e07 --into mode-19cc0a72be44d0f8
    """
    if bool(file) == bool(into):
        raise TerminalError("name the parts of the split: in a file with --from, or modes that are there with --into")
    content = read(file) if file else None

    def change(known: Taxonomy, word: Word) -> AnyEvent:
        known_parts = [ModePart(mode_id=changes.find(known, each).mode_id) for each in into]
        return changes.split(known, mode, parts(content) if content else known_parts, word)

    event = _append(by, reason, change)
    assert isinstance(event, ModeSplit), "as `changes.split` makes it"
    click.echo(f"split {mode} into {', '.join(part.mode_id for part in event.parts)}; {NEXT}")


@click.command()
@placed
@signed
@click.argument("mode")
@click.argument("name")
def rename(mode: str, name: str, by: str | None, reason: str | None) -> None:
    """Give MODE another NAME. Its id stays.

    \b
    Example:
      flywheel modes rename mode-4be1c0a2f3d91e07 "Stickers on parcels"
    """
    _append(by, reason, lambda known, word: changes.rename(known, mode, name, word))
    click.echo(f"renamed: {mode} is {name!r}; {NEXT}")


@click.command()
@placed
@signed
@click.argument("mode")
def retire(mode: str, by: str | None, reason: str | None) -> None:
    """End MODE: no comment shows it any more, and no spec is made of it. Its history stays; accept brings it back.

    \b
    Example:
      flywheel modes retire latency_cost --reason "measured elsewhere"
    """
    _append(by, reason, lambda known, word: changes.retire(known, mode, word))
    click.echo(f"retired: {mode}; {NEXT}")
