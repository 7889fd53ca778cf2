"""A small HTTP server that plays a model: it gives its replies in order, and keeps what it was asked."""

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

USAGE = {"prompt_tokens": 60, "completion_tokens": 40, "total_tokens": 100}


class Http(NamedTuple):
    """An answer that is no reply."""

    status: int
    text: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class Model(NamedTuple):
    url: str
    asked: list[dict[str, Any]]
    keys: list[str | None]


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": said, **more}}], "usage": USAGE}


def call(tool: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    told = arguments if isinstance(arguments, str) else json.dumps(arguments)
    calls = [{"id": call_id, "type": "function", "function": {"name": tool, "arguments": told}}]
    return {
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": calls}}],
        "usage": USAGE,
    }


@contextmanager
def model(replies: Sequence[dict[str, Any] | Http]) -> Generator[Model]:
    left, asked, keys = list(replies), list[dict[str, Any]](), list[str | None]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            keys.append(self.headers.get("authorization"))
            reply = left.pop(0) if left else text("done")
            answer = reply if isinstance(reply, Http) else Http(200, json.dumps(reply))
            self.send_response(answer.status if self.path == "/v1/chat/completions" else 404)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.text.encode())))
            self.end_headers()
            self.wfile.write(answer.text.encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Model(f"http://127.0.0.1:{server.server_port}/v1", asked, keys)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
