"""`flywheel room`: open a clean room, see what this machine would leak, finish a session that was killed."""

import sys
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.place import placed
from flywheel.tables import show


@click.group()
@placed
def room() -> None:
    """The clean room: a place that knows nothing of the answer, and reaches nobody who does.

    \b
    Examples:
      flywheel room check
      flywheel room open ~/src/toolz -- python -m pytest -q
      flywheel room recover ~/src/toolz
    """


@room.command(name="open", context_settings={"ignore_unknown_options": True})
@placed
@click.argument("tree", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--in-place", is_flag=True, help="Work on TREE itself, its history moved away until the end.")
@click.option("--package", help="What is under test: copies of it are left out.")
@click.option("--tool", "tools", multiple=True, help="A distribution that is wanted inside, such as pytest.")
@click.option("--allow", multiple=True, metavar="HOST[:PORT]", help="Whom the room may reach; default: nobody.")
def open_command(  # noqa: PLR0917
    tree: Path, command: tuple[str, ...], in_place: bool, package: str | None, tools: tuple[str, ...],
    allow: tuple[str, ...],
) -> None:  # fmt: skip
    """Run COMMAND (default: bash) in a room with a copy of TREE, or with TREE itself.

    \b
    Examples:
      flywheel room open ~/src/toolz --package toolz --tool pytest -- python -m pytest -q
      flywheel room open ~/src/toolz --in-place -- my-agent --task fix-it
    """
    import tempfile
    from contextlib import ExitStack

    from evals.cleanroom.bubblewrap import open_room, open_room_at
    from evals.cleanroom.copy import clean_copy
    from evals.cleanroom.in_place import moved_away
    from evals.cleanroom.network import Network
    from evals.cleanroom.tools import tools as put
    from evals.tasks.opened import person

    network = Network(tuple(_allowed(said) for said in allow))
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="flywheel-open-")))
        place.chmod(0o711)
        site = put(tools, place / "site", but_not=[package] if package else []) if tools else None
        if in_place:
            stack.enter_context(moved_away(tree, package=package))
            opened = stack.enter_context(open_room_at(tree.resolve(), tools=site, network=network))
        else:
            clean_copy(tree, place / "tree", package=package)
            opened = stack.enter_context(open_room(place / "tree", tools=site, network=network))
        code = person(opened, command or ("bash",))
        for denied in opened.denied:
            click.echo(f"denied: {denied.host}:{denied.port}: {denied.why}", err=True)
    sys.exit(code)


def _allowed(said: str) -> Any:
    from pydantic import ValidationError

    from evals.cleanroom.network import Allowed
    from models.errors import TerminalError

    host, _, port = said.partition(":")
    try:
        return Allowed(host=host, port=int(port or 443))
    except (ValidationError, ValueError) as error:
        raise TerminalError(
            f"--allow {said} is no HOST or HOST:PORT: a name in full, and a port of 1 to 65535"
        ) from error


@room.command()
@placed
@click.argument("tree", type=click.Path(exists=True, file_okay=False, path_type=Path))
def recover(tree: Path) -> None:
    """Move the history of TREE back, where a session in place was killed.

    \b
    Example:
      flywheel room recover ~/src/toolz
    """
    from evals.cleanroom.in_place import recover as finish

    click.echo(f"{tree} is as it was" if finish(tree.resolve()) else f"{tree} has nothing to recover")


@room.command()
@placed
def check() -> None:
    """Plant every known leak, and look for it with and without a room; exit status 1 if any is found inside.

    \b
    Example:
      flywheel room check
    """
    import tempfile

    from evals.cleanroom.check import check as look
    from evals.cleanroom.leaks.table import Row, batches, tried
    from flywheel.progress import bar

    found = look()
    click.echo(found.said)
    if not found.works:
        sys.exit(1)
    rows: list[Row] = []
    every = batches()
    with bar("leaks") as progress:
        for place, batch in enumerate(every):
            with tempfile.TemporaryDirectory() as folder:
                rows += tried(batch, Path(folder, "world"))
            progress(place + 1, len(every))
    table = Table("group", "leak", "mode", "without a room", "in a room", box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(
            row.leak.group, row.leak.name, row.mode, "found" if row.found_without else "not found",
            "FOUND" if row.found_inside else "-",
        )  # fmt: skip
    show(table)
    leaking = sum(row.found_inside for row in rows)
    click.echo(f"{len({row.leak.name for row in rows})} leaks tried; {leaking} found in a room")
    sys.exit(1 if leaking else 0)
