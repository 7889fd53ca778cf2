"""`flywheel modes report`: the page of the failure modes, as a file."""

from pathlib import Path

import click

from flywheel.place import existing_home, placed
from ingest.durable import replace
from models.errors import TerminalError


@click.command()
@placed
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), default=Path("failure-modes.html"), show_default=True
)
def report(out: Path) -> None:
    """Write one HTML page on the failure modes: what grew, what changed since the last report, tree, trends, examples.

    It stands alone: no scripts, no network. What it compares with stands in modes-report.json of the home.

    \b
    Example:
      flywheel modes report --out failure-modes.html
    """
    from flywheel.report.modes_page import modes_page

    if out.is_dir():
        raise TerminalError(f"--out {out} is a folder: name a file in it")
    content = modes_page(existing_home()).encode()
    try:
        replace(out.absolute(), content)
    except OSError as error:
        raise TerminalError(f"--out {out} can't be written: {error.strerror}") from error
    click.echo(f"report: {out.absolute()}")
