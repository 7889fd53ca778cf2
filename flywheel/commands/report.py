"""`flywheel report`: the page, as a file."""

from pathlib import Path

import click

from flywheel.place import existing_home, placed
from ingest.durable import replace
from models.errors import TerminalError


@click.command()
@placed
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), default=Path("flywheel-report.html"), show_default=True
)
def report(out: Path) -> None:
    """Write one HTML page that stands alone: stages of the loop, failure modes, specs, results.

    \b
    Example:
      flywheel report --out report.html
    """
    from flywheel.report.page import page

    if out.is_dir():
        raise TerminalError(f"--out {out} is a folder: name a file in it")
    content = page(existing_home()).encode()
    try:
        replace(out.absolute(), content)
    except OSError as error:
        raise TerminalError(f"--out {out} can't be written: {error.strerror}") from error
    click.echo(f"report: {out.absolute()}")
