"""A real collector with a home of its own, behind a proxy that loses, delays and refuses on demand."""

import json
import subprocess
import sys
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from ingest.home import Home
from ingest.log import replay
from ingest.log.pinned import open_pinned
from ingest.sink.sink import Sink
from tests.ingest.sink.written import lake


class Served:
    """`url` is the proxy's, and stays while the collector behind it comes and goes."""

    def __init__(self, home: Path) -> None:
        self.home = Home.open(home)
        self.faults: deque[str] = deque()
        """What befalls the next requests: `lose` (the answer), `busy`, `busy long`, `away`, `slow`. Then none."""
        self.requests: list[list[str]] = []
        """The ids that each request brought, in order of arrival."""
        self.taken: set[str] = set()
        """The ids that the collector has answered for, whether or not the answer arrived."""
        self.go_on = threading.Event()
        """What `slow` requests wait for."""
        self._process: subprocess.Popen[str] | None = None
        self._address = ""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def start(self) -> None:
        """Start the collector, and wait until it listens."""
        command = [sys.executable, "-m", "tests.clients.collector_process", str(self.home.path)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._address = self._process.stdout.readline().strip()
        assert self._address.startswith("http://")

    def kill(self) -> None:
        """kill -9. Requests get no answer from then on."""
        self._address = ""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def close(self) -> None:
        self.go_on.set()
        self.kill()
        self._server.shutdown()
        self._server.server_close()

    def forward(self, path: str, body: bytes, headers: dict[str, str]) -> httpx.Response:
        return httpx.post(self._address + path, content=body, headers=headers, timeout=30)

    @property
    def lives(self) -> bool:
        return bool(self._address)

    def written(self) -> list[dict[str, Any]]:
        """Every event that is in the log, copies included."""
        with open_pinned(None, self.home) as log:
            return [json.loads(record.value or b"") for topic in log.topics() for record in replay(log, topic)]

    def in_lake(self, topic: str = "feedback") -> dict[str, int]:
        """Event id -> how many different events have landed under it: 1, whatever was sent twice."""
        with open_pinned(None, self.home) as log:
            Sink(log, self.home).drain()
        rows = lake(self.home, topic)
        assert rows["error"].null_count() == len(rows)
        contents: dict[str, set[str]] = {}
        for id_, content in rows.select("event_id", "content_hash").iter_rows():
            contents.setdefault(id_, set()).add(content)
        return {id_: len(hashes) for id_, hashes in contents.items()}


def _handler(served: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            ids = [event["id"] for event in json.loads(body)]
            served.requests.append(ids)
            fault = served.faults.popleft() if served.faults else ""
            if fault == "slow":
                served.go_on.wait(30)
            if fault.startswith("busy"):
                return self._answer(503, b'{"reason": "too much is waiting"}', "600" if fault == "busy long" else "0")
            if fault == "away" or not served.lives:
                return self._hang_up()
            headers = {name: self.headers[name] for name in ("content-type", "authorization") if name in self.headers}
            try:
                answer = served.forward(self.path, body, headers)
            except httpx.HTTPError:
                return self._hang_up()
            if answer.status_code == 202:
                served.taken.update(ids)
            if fault == "lose":
                return self._hang_up()
            return self._answer(answer.status_code, answer.content, answer.headers.get("retry-after"))

        def _answer(self, status: int, body: bytes, retry_after: str | None) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            if retry_after is not None:
                self.send_header("retry-after", retry_after)
            self.end_headers()
            self.wfile.write(body)

        def _hang_up(self) -> None:
            self.close_connection = True

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Nothing: stderr is the test's."""

    return Handler
