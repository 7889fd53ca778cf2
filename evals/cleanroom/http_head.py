"""The head of an HTTP/1 request as a proxy reads it: strictly, so that the next server can't read it otherwise (RFC
9112)."""

import re
from typing import Final, NamedTuple

from evals.cleanroom.network import plain

MOST: Final = 1 << 16
TOKEN: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
TARGET: Final = re.compile(r"[hH][tT][tT][pP]://([^/?#\s]+)((?:[/?][!-\"$-~]*)?)")
"""A URL: who, and what of them; printable, and without a fragment."""
HOP: Final = {"connection", "proxy-connection", "proxy-authorization", "keep-alive", "te", "trailer", "upgrade"}
"""Fields that are for the proxy, and go no further."""


class BadHead(ValueError):
    """A head that is refused; says why."""


class Head(NamedTuple):
    """Of one request."""

    method: str
    host: str
    port: int
    path: str
    """With the query; empty for CONNECT."""
    fields: tuple[tuple[str, str], ...]
    length: int | None
    """Of the body; None: it is chunked."""

    def onwards(self) -> bytes:
        """The head as the server gets it."""
        port = "" if self.port == 80 else f":{self.port}"
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: {self.host}{port}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in self.fields if name.lower() not in {*HOP, "host"}]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def head(received: bytes) -> Head:
    """The head in `received`, which ends with its empty line. Raises BadHead."""
    first, *lines = received[:-4].split(b"\r\n")
    if len(words := first.split(b" ")) != 3 or not TOKEN.fullmatch(words[0]) or not words[2].startswith(b"HTTP/1."):
        raise BadHead("not HTTP/1")
    fields = tuple(_field(line) for line in lines)
    named: dict[str, list[str]] = {}
    for name, value in fields:
        named.setdefault(name.lower(), []).append(value)
    method, target = words[0].decode(), words[1].decode("latin-1")
    if method == "CONNECT":
        host, port = authority(target, None)
        return Head(method, host, port, "", fields, 0)
    if not (match := TARGET.fullmatch(target)):
        raise BadHead(f"not asked of a proxy: {target[:60]!r}")
    host, port = authority(match[1], 80)
    hosts = named.get("host", [])
    if len(hosts) != 1 or authority(hosts[0], 80) != (host, port):
        raise BadHead(f"the URL says {host}:{port}, Host says {', '.join(hosts) or 'nothing'}")
    path = match[2] if match[2].startswith("/") else f"/{match[2]}"
    return Head(method, host, port, path, fields, _length(named))


def authority(text: str, default: int | None) -> tuple[str, int]:
    """Host and port. Raises BadHead where there is no port and no `default`, or where somebody logs in."""
    match = re.fullmatch(r"(\[[0-9a-fA-F:.%]+\]|[^:@/\s\[\]]+)(?::(\d{1,5}))?", text)
    if not match or (match[2] is None and default is None):
        raise BadHead(f"no host and port: {text[:60]!r}")
    port = int(match[2] or default or 0)
    if not 0 < port < 65536:
        raise BadHead(f"no port: {port}")
    return plain(match[1]), port


def _field(line: bytes) -> tuple[str, str]:
    name, colon, value = line.partition(b":")
    if not colon or not TOKEN.fullmatch(name) or any(byte < 32 and byte != 9 for byte in value):
        raise BadHead(f"a field that is none: {line[:60]!r}")
    return name.decode(), value.strip(b" \t").decode("latin-1")


def _length(named: dict[str, list[str]]) -> int | None:
    lengths, codings = named.get("content-length", []), named.get("transfer-encoding", [])
    if codings:
        if lengths or [coding.lower() for coding in codings] != ["chunked"]:
            raise BadHead("a body whose length is said twice")
        return None
    if len(lengths) > 1 or (lengths and not re.fullmatch("[0-9]{1,15}", lengths[0])):
        raise BadHead("a body whose length is said twice, or not at all")
    return int(lengths[0]) if lengths else 0
