"""Serving the collector until it is ended; then what was received is written."""

from collections.abc import Callable

from ingest.collector.app import collector_app
from ingest.collector.settings import Settings
from ingest.home import Home
from ingest.http_server import serve_app
from ingest.log import EventLog
from ingest.loopback import is_loopback
from models.errors import TerminalError

DRAIN_SECONDS = 30


def serve(
    home: Home,
    log: EventLog,
    settings: Settings,
    *,
    host: str,
    port: int,
    keyless: bool,
    listening: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or SIGINT, then answer what was received. `listening` is told the address once it is open.

    Raises TerminalError where the address can't be had, or keys are not asked for beyond this machine.
    """
    if keyless and not is_loopback(host):
        raise TerminalError(
            f"--open serves this machine alone, and {host} is reached from others: use keys, or --host 127.0.0.1"
        )
    app = collector_app(home, log, settings, keyless=keyless)
    serve_app(app, "collector", host=host, port=port, drain_s=DRAIN_SECONDS, listening=listening)
