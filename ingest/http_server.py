"""Serving an application of ours over HTTP: a socket, uvicorn, and an end that answers what was received.

The client of Kafka does not survive a fork, so that the program is one process.
"""

import logging
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from litestar.types import ASGIApp

from models.errors import TerminalError

BACKLOG = 2_048
HEADER_BYTES = 65_536


def serve_app(app: ASGIApp, what: str, *, host: str, port: int, drain_s: int, listening: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT, then answer what was received, for `drain_s` seconds at most.

    `what` names it in messages and its log; `listening` is told the address once it is open. Raises TerminalError where
    the address can't be had, or the application does not start.
    """
    place = _bound(host, port)
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=drain_s,
        h11_max_incomplete_event_size=HEADER_BYTES,
    )
    server = _Server(config, lambda: listening(f"http://{shown}:{place.getsockname()[1]}"))

    def ended(number: int, frame: FrameType | None) -> None:
        logging.getLogger(f"flywheel.{what}").info("ended by signal %d", number)

    # uvicorn raises the signal that ended it once more at its end; an end that was asked for is no failure.
    before = {number: signal.signal(number, ended) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        server.run(sockets=[place])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not server.started:
        raise TerminalError(f"the {what} could not start: its log on stderr says why")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, opened: Callable[[], None]) -> None:
        super().__init__(config)
        self._opened = opened

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._opened()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, since asyncio sends small writes at once only on what says that it is TCP: else the end of an answer waits
    # for the other side's delayed acknowledgement, 40 ms.
    place = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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
