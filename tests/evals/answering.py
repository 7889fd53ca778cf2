"""An endpoint that answers many at once: a function from the prompt to a reply. Keeps what it was asked."""

import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.evals.agents.model_server import Http, text

Answer = Callable[[str], dict[str, Any] | Http]


class Answering:
    """What it was asked, in order; how many stood there at once at most."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.prompts: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.connections = 0
        self.at_once = 0


def said(words: str) -> dict[str, Any]:
    """A reply that was counted."""
    return text(words)


@contextmanager
def answering(answer: Answer, *, pause: float = 0.0) -> Generator[Answering]:
    """Serves until the block ends; each answer takes `pause` seconds."""
    lock = threading.Lock()
    now = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            with lock:
                served.connections += 1

        def do_POST(self) -> None:
            nonlocal now
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            prompt = body["messages"][-1]["content"]
            with lock:
                now += 1
                served.at_once = max(served.at_once, now)
                served.prompts.append(prompt)
                served.bodies.append(body)
            time.sleep(pause)
            reply = answer(prompt)
            told = reply if isinstance(reply, Http) else Http(200, json.dumps(reply))
            with lock:
                now -= 1
            self.send_response(told.status)
            for name, value in told.headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(told.text.encode())))
            self.end_headers()
            self.wfile.write(told.text.encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a client that was killed

    server = Server(("127.0.0.1", 0), Handler)
    served = Answering(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
