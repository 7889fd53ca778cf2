"""Where a command works: the home and the log. `--home` and `--log` are understood before and after a subcommand."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ingest.home import Home
from ingest.log import EventLog, open_log

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


def open_home() -> Home:
    """The home, made on first use."""
    return Home.open(home_path())


def log_url() -> str | None:
    """The log's URL; None for the embedded one."""
    context = click.get_current_context().find_root()
    return context.meta.get("flywheel.log") or os.environ.get("FLYWHEEL_LOG")


def open_event_log(home: Home) -> EventLog:
    """The log that the command was given; the embedded one of the home otherwise."""
    return open_log(log_url(), home.path)
