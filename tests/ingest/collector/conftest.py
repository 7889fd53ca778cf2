"""A collector in process on the embedded log, and a client that speaks HTTP to it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from litestar.testing import TestClient
from litestar.types import ASGIApp

from ingest.collector import Settings, collector_app
from ingest.collector.keys import SCOPES, Scope, create
from ingest.home import Home
from ingest.lake.segments import read, segments
from ingest.log import EventLog, open_log, replay
from ingest.sink import Sink
from models.events import AnyEvent, parse


class Place:
    """A home, its log, and the clients of collectors on them."""

    def __init__(self, home: Home, log: EventLog, stack: ExitStack) -> None:
        self.home = home
        self.log = log
        self._stack = stack

    def client(self, *, log: Any = None, keyless: bool = True, **settings: Any) -> TestClient[Any]:
        """A client of a collector that runs until the test ends."""
        app = collector_app(self.home, log or self.log, Settings(**settings), keyless=keyless)
        return self._stack.enter_context(TestClient(cast(Any, app), base_url="http://127.0.0.1"))

    def key(self, name: str = "web", *scopes: Scope, source: str | None = None) -> dict[str, str]:
        """Headers with a new key."""
        _, secret = create(self.home, name, source or name, scopes or SCOPES)
        return {"Authorization": f"Bearer {secret}"}

    def events(self, *topics: str) -> list[AnyEvent]:
        """What the log has."""
        return [
            parse(record.value, record.headers)
            for topic in topics or self.log.topics()
            for record in replay(self.log, topic)
        ]

    def lake(self, topic: str) -> pl.DataFrame:
        """What lands of a topic."""
        Sink(self.log, self.home).drain()
        folders = sorted(path for path in (self.home.lake / topic).iterdir() if path.name.isdigit())
        return pl.concat([read(file) for path in folders for file in segments(self.home, topic, int(path.name))])


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    home = Home.open(tmp_path / "home")
    with ExitStack() as stack, open_log(None, home.path) as log:
        yield Place(home, log, stack)


@pytest.fixture
def client(place: Place) -> TestClient[Any]:
    return place.client()


Ask = Callable[[dict[str, Any]], Any]


@pytest.fixture
def talk() -> Callable[..., list[tuple[int, bytes]]]:
    """Sends requests to an ASGI application at once, and in a body's own pieces: what a client library won't do."""

    def send(app: ASGIApp, *requests: tuple[str, dict[str, str], list[bytes]]) -> list[tuple[int, bytes]]:
        return asyncio.run(_all(app, requests))

    return send


async def _all(app: ASGIApp, requests: tuple[tuple[str, dict[str, str], list[bytes]], ...]) -> list[tuple[int, bytes]]:
    lifespan: asyncio.Queue[Any] = asyncio.Queue()
    started, ended = asyncio.Event(), asyncio.Event()

    async def said(message: Any) -> None:
        (started if "startup" in message["type"] else ended).set()

    async def live() -> None:
        await app(cast(Any, {"type": "lifespan", "state": {}}), lifespan.get, said)

    living = asyncio.create_task(live())
    await lifespan.put({"type": "lifespan.startup"})
    await started.wait()
    answers = await asyncio.gather(*(_one(app, *request) for request in requests))
    await lifespan.put({"type": "lifespan.shutdown"})
    await ended.wait()
    await living
    return list(answers)


async def _one(app: ASGIApp, path: str, headers: dict[str, str], chunks: list[bytes]) -> tuple[int, bytes]:
    left = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    left.append({"type": "http.request", "body": b"", "more_body": False})
    answer: dict[str, Any] = {"body": b""}

    async def receive() -> Any:
        return left.pop(0) if left else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer["status"] = message["status"]
        else:
            answer["body"] += message.get("body", b"")

    named = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "scheme": "http", "http_version": "1.1", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "state": {},
        "headers": [(b"host", b"127.0.0.1"), *named],
        "asgi": {"version": "3.0"}, "extensions": {},
    }  # fmt: skip
    await app(cast(Any, scope), receive, send)
    return answer["status"], answer["body"]
