"""Serving the dashboards until they are ended. Beyond this machine nobody is served without signing in."""

from collections.abc import Callable
from pathlib import Path

from dashboards.access import Door, Proxy
from dashboards.app import dashboards_app
from ingest.collector.keys import keys_file, read_file
from ingest.home import Home
from ingest.http_server import serve_app
from ingest.log import EventLog
from ingest.loopback import is_loopback
from models.errors import TerminalError

DRAIN_SECONDS = 5


def serve(
    path: Path, log: EventLog | None, door: Door, *, host: str, port: int, listening: Callable[[str], None]
) -> None:
    """Serve until SIGTERM or SIGINT. `listening` is told the address once it is open.

    Raises TerminalError where the address can't be had.
    """
    app = dashboards_app(path, log, door)
    serve_app(app, "dashboards", host=host, port=port, drain_s=DRAIN_SECONDS, listening=listening)


def door_for(path: Path, host: str, *, keys: Path | None, sign_in: bool, proxy: Proxy | None) -> Door:
    """Who is let in at `host`: `keys` is a file of keys, `sign_in` means those of the home.

    Without any of the three this machine's own people are. Raises TerminalError where that would leave the pages open
    to others, and where nobody could sign in.
    """
    if keys is None and (sign_in or (proxy is None and not is_loopback(host))):
        keys = keys_file(Home(path))
    if keys is not None and not any(
        key.revoked_at is None and {"viewer", "reader"} & set(key.scopes) for key in read_file(keys)
    ):
        raise TerminalError(
            f"nobody could sign in at {host}: there is no key with the scope viewer or reader in {keys}: flywheel keys "
            "create --name NAME --scope reader makes one, or --trust-header names what a proxy in front says"
        )
    return Door(keys, proxy)
