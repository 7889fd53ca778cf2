"""Serving the collector: a socket, uvicorn, and an end that writes what was received.

The client of Kafka does not survive a fork, so that the program is one process.
"""

import logging
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from ingest.collector.app import collector_app
from ingest.collector.settings import Settings
from ingest.home import Home
from ingest.log import EventLog
from models.errors import TerminalError

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
DRAIN_SECONDS = 30
BACKLOG = 2_048
HEADER_BYTES = 65_536


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
    if keyless and host not in LOOPBACK:
        raise TerminalError(
            f"--open serves this machine alone, and {host} is reached from others: use keys, or --host 127.0.0.1"
        )
    place = _bound(host, port)
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        collector_app(home, log, settings, keyless=keyless),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=DRAIN_SECONDS,
        h11_max_incomplete_event_size=HEADER_BYTES,
    )
    server = _Server(config, lambda: listening(f"http://{shown}:{place.getsockname()[1]}"))
    # uvicorn raises the signal that ended it once more at its end; an end that was asked for is no failure.
    before = {number: signal.signal(number, _ended) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        server.run(sockets=[place])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if server.failed:
        raise TerminalError("the collector could not start: its log on stderr says why")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, opened: Callable[[], None]) -> None:
        super().__init__(config)
        self._opened = opened

    @property
    def failed(self) -> bool:
        return not self.started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._opened()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
    except (OSError, OverflowError) as error:
        place.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TerminalError(f"{host}:{port} can't be listened on: {reason}: give --host or --port another") from error
    place.listen(BACKLOG)
    place.set_inheritable(False)
    return place


def _ended(number: int, frame: FrameType | None) -> None:
    logging.getLogger("flywheel.collector").info("ended by signal %d", number)
