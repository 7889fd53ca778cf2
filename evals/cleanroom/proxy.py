"""The way out of a room: a proxy outside, on sockets that listen inside.

Process 1 of a box makes a socket on its own loopback and hands it out over the room's unix socket; what is accepted
from it is served here, in a thread. Nothing of the proxy is inside, so nothing inside can end it or go around it:
there is no other route, and no resolver.

A CONNECT goes to a host and port of the list, and no further than to a ClientHello that names that same host. A plain
request has its URL and its Host checked; one connection carries one, and a second one on it is only looked at to say
what it wanted. Names are resolved here; a private address is refused unless its entry allows it, and the address that
was looked at is the one that is connected to. Left out: what goes through an allowed host, TLS being TLS: whoever is
on the list is trusted not to pass things on.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from evals.cleanroom.client_hello import NotTls, server_name
from evals.cleanroom.http_head import MOST, BadHead, Head, head
from evals.cleanroom.index import Index
from evals.cleanroom.network import INDEX, Allowed, Denied, Deny, Resolve, is_address, is_private, plain

CHUNK: Final = 1 << 16
PATIENCE: Final = 20.0
"""Seconds that a client may take to say what it wants, and a host to answer a call."""


class Refused(Exception):
    """An attempt that goes no further; says why."""


class Proxy:
    """Serves until closed. `deny` is told of each refused attempt, from the proxy's thread."""

    def __init__(
        self, allowed: Sequence[Allowed], deny: Deny, index: Index | None = None, resolve: Resolve | None = None
    ) -> None:
        self._allowed = {(each.host, each.port): each for each in allowed}
        self._deny, self._index, self._resolve = deny, index, resolve or addresses
        self._loop = asyncio.new_event_loop()
        self._servers: list[asyncio.Server] = []
        self._clients: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="room-proxy", daemon=True)
        self._thread.start()

    def serve(self, listening: socket.socket) -> None:
        """Answer whoever connects to `listening`, which is the proxy's from here on."""
        asyncio.run_coroutine_threadsafe(self._serve(listening), self._loop).result()

    def close(self) -> None:
        """End all connections."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, listening: socket.socket) -> None:
        listening.setblocking(False)
        self._servers.append(await asyncio.start_server(self._attend, sock=listening, limit=MOST))

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        for client in tuple(self._clients):
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._clients.add(task)
        host, port = "", 0
        try:
            asked = await self._head(reader)
            if asked is None:
                return
            host, port = asked.host, asked.port
            if asked.method == "CONNECT":
                await self._tunnel(asked, reader, writer)
            else:
                await self._request(asked, reader, writer)
        except (Refused, BadHead, NotTls) as error:
            self._denied(host, port, str(error))
            with contextlib.suppress(OSError):
                await _answer(writer, "403 Forbidden", f"The room refuses {host}:{port}: {error}\n".encode())
        except (OSError, TimeoutError, EOFError) as error:
            with contextlib.suppress(OSError):
                await _answer(writer, "502 Bad Gateway", f"{host}:{port} does not answer: {error}\n".encode())
        except asyncio.CancelledError:
            pass
        finally:
            self._clients.discard(task)
            writer.close()

    async def _head(self, reader: asyncio.StreamReader) -> Head | None:
        try:
            async with asyncio.timeout(PATIENCE):
                return head(await reader.readuntil(b"\r\n\r\n"))
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise BadHead("a head without an end") from error
            return None
        except asyncio.LimitOverrunError as error:
            raise BadHead("a head without an end") from error

    def _denied(self, host: str, port: int, why: str) -> None:
        self._deny(Denied(datetime.now(UTC), host, port, why))

    def _entry(self, asked: Head) -> Allowed:
        if is_address(asked.host):
            raise Refused("an address in place of a name")
        if (entry := self._allowed.get((asked.host, asked.port))) is None:
            raise Refused("not on the list")
        return entry

    async def _call(self, entry: Allowed) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to one of the addresses of `entry`."""
        found = await self._resolve(entry.host, entry.port)
        fit = [address for address in found if entry.private or not is_private(address)]
        if found and not fit:
            raise Refused(f"its address is private: {', '.join(found)}")
        last: OSError = OSError("no address")
        for address in fit:
            try:
                async with asyncio.timeout(PATIENCE):
                    return await asyncio.open_connection(address, entry.port, limit=MOST)
            except OSError as error:
                last = error
        raise last

    async def _tunnel(self, asked: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        entry = self._entry(asked)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await writer.drain()
        hello, name = b"", None
        async with asyncio.timeout(PATIENCE):
            while name is None:
                more = await reader.read(CHUNK)
                if not more:
                    raise NotTls("it ended before its ClientHello" if hello else "nothing was said")
                hello += more
                name = server_name(hello)
        if plain(name) != entry.host:
            raise Refused(f"its server name says {name!r}")
        there, back = await self._call(entry)
        try:
            back.write(hello)
            await asyncio.gather(_pour(reader, back), _pour(there, writer))
        finally:
            back.close()

    async def _request(self, asked: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._index and (asked.host, asked.port) == (INDEX, 80):
            status, kind, body = await asyncio.to_thread(self._index.answer, asked.method, asked.path)
            if status.startswith("404"):
                self._denied(INDEX, 80, f"not in the index: {asked.path}")
            await _answer(writer, status, body, kind)
            return
        there, back = await self._call(self._entry(asked))
        second = asyncio.ensure_future(self._another(reader, asked, back))
        try:
            await _pour(there, writer)
        finally:
            second.cancel()
            await asyncio.gather(second, return_exceptions=True)
            back.close()

    async def _another(self, reader: asyncio.StreamReader, asked: Head, back: asyncio.StreamWriter) -> None:
        """Send the one request on, and look at what comes after it."""
        try:
            back.write(asked.onwards())
            await _body(reader, back, asked.length)
            if (more := await self._head(reader)) and (more.host, more.port) != (asked.host, asked.port):
                self._denied(more.host, more.port, f"a second request on a connection to {asked.host}")
        except (BadHead, asyncio.LimitOverrunError) as error:
            self._denied(asked.host, asked.port, str(error))
            back.close()  # it has got a part, and answers nothing


async def addresses(host: str, port: int) -> list[str]:
    """What this machine's resolver says."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        raise OSError(f"no such host: {error.strerror}") from error
    return list(dict.fromkeys(str(told[4][0]) for told in found))


async def _body(reader: asyncio.StreamReader, back: asyncio.StreamWriter, length: int | None) -> None:
    """Send on a body of `length` bytes, or one in chunks, and not a byte more."""
    while length:
        part = await reader.read(min(CHUNK, length))
        if not part:
            raise EOFError("a body that ends too soon")
        length -= len(part)
        back.write(part)
        await back.drain()
    while length is None:
        line = await reader.readuntil(b"\r\n")
        digits = line.rstrip(b"\r\n").partition(b";")[0]
        if not 0 < len(digits) < 16 or digits.strip(b"0123456789abcdefABCDEF"):
            raise BadHead("a chunk whose length is none")
        size = int(digits, 16)
        back.write(b"%x\r\n" % size)
        if size == 0:
            while (await reader.readuntil(b"\r\n")) != b"\r\n":  # trailers are dropped
                pass
            back.write(b"\r\n")
            break
        await _body(reader, back, size)
        if await reader.readexactly(2) != b"\r\n":
            raise BadHead("a chunk that is longer than it says")
        back.write(b"\r\n")
    await back.drain()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy to the end, and say that it is the end."""
    with contextlib.suppress(ConnectionError):
        while part := await reader.read(CHUNK):
            writer.write(part)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _answer(
    writer: asyncio.StreamWriter, status: str, body: bytes, kind: str = "text/plain; charset=utf-8"
) -> None:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close", "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    await writer.drain()
