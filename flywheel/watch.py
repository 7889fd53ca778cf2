"""Going on until stopped: what `--watch` of the commands does. A fault that may pass is said and tried again."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from ingest.home import Home
from models.errors import TransientError

EVERY_S = 2.0
"""How often the symlink is looked at. A look costs a system call."""


def builds(home: Home, *, watch: bool) -> Iterator[Path | None]:
    """The published generation, once; with `watch` then each new one, for ever. None: there is none yet."""
    seen: Path | None = None
    while True:
        current = home.warehouse.resolve() if home.warehouse.exists() else None
        if not watch or current not in (seen, None):
            yield current
            seen = current
        if not watch:
            return
        time.sleep(EVERY_S)


def patiently(work: Callable[[], None], *, watch: bool) -> None:
    """Do `work`. With `watch`, a transient fault is a line on stderr, and the caller goes on to the next time."""
    try:
        work()
    except TransientError as error:
        if not watch:
            raise
        click.echo(f"flywheel: {error}", err=True)
