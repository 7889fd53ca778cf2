"""Servers of the tests' own: what a room may reach, or must not."""

import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import trustme


class Answering(BaseHTTPRequestHandler):
    """Answers every request with what it was, and keeps that."""

    protocol_version = "HTTP/1.1"
    seen: list[str]

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while line := self.rfile.readline():
                if (size := int(line, 16)) == 0:
                    break
                body += self.rfile.read(size)
                self.rfile.readline()
            else:  # it ended before its body did
                self.close_connection = True
                return
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(body)

    def _answer(self, body: bytes) -> None:
        told = f"{self.command} {self.headers['Host']} {self.path} ".encode() + body
        self.seen.append(told.decode())
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def answering(tls: ssl.SSLContext | None = None) -> Generator[tuple[int, list[str]]]:
    """A port, and what was asked there so far."""
    seen: list[str] = []
    handler = type("Handler", (Answering,), {"seen": seen})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server.server_address[1], seen
        finally:
            server.shutdown()
            thread.join()


def certificate(*names: str) -> tuple[ssl.SSLContext, bytes]:
    """A server's side of TLS for `names`, and the authority that a client has to trust."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*names).configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
    return context, authority.cert_pem.bytes()


async def here(host: str, port: int) -> list[str]:
    """Every name is this machine."""
    return ["127.0.0.1"]
