"""An ASGI application driven without sockets: requests as bytes, many at once, from a thread that may block."""

import asyncio
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from litestar.types import ASGIApp


class Sent(NamedTuple):
    """A request."""

    path: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    method: str = "POST"


class Got(NamedTuple):
    """Its answer; status 0 where the application raised, with the exception in the body."""

    status: int
    headers: dict[str, str]
    body: bytes


class Driver:
    """Sends to an application that runs."""

    def __init__(self, app: ASGIApp, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    def ask(self, requests: Sequence[Sent]) -> list[Got]:
        """Send all at once and wait for all answers."""
        return asyncio.run_coroutine_threadsafe(self._all(requests), self._loop).result()

    async def _all(self, requests: Sequence[Sent]) -> list[Got]:
        return list(await asyncio.gather(*(self._one(request) for request in requests)))

    async def _one(self, request: Sent) -> Got:
        left: list[Any] = [{"type": "http.request", "body": request.body, "more_body": False}]
        status, headers, body = 0, dict[str, str](), b""

        async def receive() -> Any:
            return left.pop(0) if left else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status, headers, body
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = {
                    name.decode("latin-1").lower(): value.decode("latin-1") for name, value in message["headers"]
                }
            else:
                body += message.get("body", b"")

        scope = {
            "type": "http", "method": request.method, "path": request.path, "raw_path": request.path.encode(),
            "query_string": b"", "root_path": "", "scheme": "http", "http_version": "1.1",
            "headers": [*request.headers], "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "state": {},
            "asgi": {"version": "3.0"}, "extensions": {},
        }  # fmt: skip
        try:
            await self._app(cast(Any, scope), receive, send)
        except Exception as error:  # what the server would have to answer for
            return Got(0, {}, repr(error).encode())
        return Got(status, headers, body)


@contextmanager
def driving(app: ASGIApp) -> Generator[Driver]:
    """`app`, started, on an event loop in a thread of its own; ended with the block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="application")
    thread.start()
    events: asyncio.Queue[Any] = asyncio.Queue()
    said: dict[str, threading.Event] = {"startup": threading.Event(), "shutdown": threading.Event()}

    async def send(message: Any) -> None:
        said[message["type"].split(".")[1]].set()

    async def live() -> None:
        await app(cast(Any, {"type": "lifespan", "state": {}}), events.get, send)

    living = asyncio.run_coroutine_threadsafe(live(), loop)
    loop.call_soon_threadsafe(events.put_nowait, {"type": "lifespan.startup"})
    said["startup"].wait()
    try:
        yield Driver(app, loop)
    finally:
        loop.call_soon_threadsafe(events.put_nowait, {"type": "lifespan.shutdown"})
        said["shutdown"].wait()
        living.result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
