"""Dashboards in a thread of this process, on a port of their own."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import uvicorn

from dashboards.access import Door
from dashboards.app import dashboards_app
from dashboards.pages import PAGES
from ingest.log import EventLog


@contextmanager
def serving(path: Path, live_s: float, log: EventLog | None = None) -> Generator[str]:
    """Their address. Open pages look every `live_s` seconds."""
    pages = tuple(page._replace(live_s=live_s) for page in PAGES)
    config = uvicorn.Config(dashboards_app(path, log, Door(), pages=pages), port=0, log_config=None, lifespan="on")
    server, started = _Server(config), Event()
    server.opened = started
    thread = Thread(target=server.run)
    thread.start()
    try:
        assert started.wait(30)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


class _Server(uvicorn.Server):
    opened: Event

    async def startup(self, sockets: object = None) -> None:
        await super().startup()
        self.opened.set()
