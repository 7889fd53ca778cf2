"""Where a command works: the home and the log. `--home` and `--log` are understood before and after a subcommand."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ingest.home import Home
from ingest.log import EventLog
from ingest.log.pinned import open_pinned

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_HOME = ".flywheel"


def _remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """The one nearest to the subcommand wins, since it is read last."""
    if value is not None:
        context.find_root().meta[f"flywheel.{parameter.name}"] = value


def placed(command: F) -> F:
    """Add `--home` and `--log` to a command or group."""
    options = (
        click.option("--log", metavar="URL", expose_value=False, callback=_remember,
                     help="embedded (default) or kafka://host:port[,host:port]/prefix; also FLYWHEEL_LOG."),
        click.option("--home", metavar="DIR", expose_value=False, callback=_remember,
                     help="Folder of the lake and the warehouse; also FLYWHEEL_HOME. Default: ./.flywheel"),
    )  # fmt: skip
    for option in options:
        command = option(command)
    return command


def home_path() -> Path:
    """The home folder that the command was given, or the default, which is then said aloud."""
    context = click.get_current_context().find_root()
    given = context.meta.get("flywheel.home") or os.environ.get("FLYWHEEL_HOME")
    path = Path(given or DEFAULT_HOME).expanduser().absolute()
    if not given and not context.meta.get("flywheel.said"):
        click.echo(f"home: {path} (default; --home DIR or FLYWHEEL_HOME choose another)", err=True)
        context.meta["flywheel.said"] = True
    return path


def open_home(*, feeds: bool = False) -> Home:
    """The home. Made on first use by a command that `feeds` events in, or that is told of a log that has some.

    Others raise TerminalError where there is none: a mistyped --home is no new flywheel.
    """
    return Home.open(home_path()) if feeds or _given_log() else existing_home()


def existing_home() -> Home:
    """The home, for commands that only look: TerminalError where there is none."""
    return Home.existing(home_path())


def open_event_log(home: Home, *, looking: bool = False) -> EventLog:
    """The log that the command was given, else the one that `home` began with, else its embedded one.

    Raises TerminalError for a log that is not the home's. `looking`: a home without a log is left without.
    """
    given = _given_log()
    url = given or home.facts().get("log_url")
    log = open_pinned(url, home, pin=not looking)
    if given and not looking:
        home.pin("log_url", given)
    return log


def log_address() -> str | None:
    """The address of the Kafka log that the command was given, else of the one that the home began with; None for an
    embedded log, and where there is neither a home nor an address."""
    url = _given_log()
    if url is None and (home_path() / "home.json").exists():
        url = existing_home().facts().get("log_url")
    return None if not url or url.startswith("embedded") else url


def _given_log() -> str | None:
    return click.get_current_context().find_root().meta.get("flywheel.log") or os.environ.get("FLYWHEEL_LOG")
