"""A request's body, whole, decompressed and never larger than it may be. Left out: what it says."""

import asyncio
import zlib
from collections.abc import AsyncIterator

from ingest.collector.answers import Turned
from ingest.collector.settings import Settings

GZIP = 16 + zlib.MAX_WBITS
MEMBERS = 16
"""gzip streams that may follow each other in a body: what follows is copied for each."""
DISCARDED = 8
"""How many times the limit is read and thrown away before the connection is: a sender that is still sending would see a
broken pipe, and no answer."""


class Held:
    """How many bytes of bodies are in memory over all requests."""

    def __init__(self, most: int) -> None:
        self.bytes = 0
        self._most = most

    def add(self, size: int) -> None:
        """Count `size` more. Raises Turned (503) where that would be too much."""
        if self.bytes + size > self._most:
            raise Turned(503, f"the collector holds {self.bytes:,} bytes of other requests: send it again", 1)
        self.bytes += size


class Body:
    """Reads one body. `size` is what it counts for in `Held`, until `release`."""

    def __init__(self, held: Held, settings: Settings) -> None:
        self._held = held
        self._settings = settings
        self.size = 0

    async def read(self, chunks: AsyncIterator[bytes], length: str | None, encoding: str | None) -> bytes:
        """The body. Raises Turned: 400 (not gzip), 408 (too slow), 413 (too large), 415 (another encoding), 503."""
        coding = (encoding or "identity").strip().lower()
        if coding not in ("identity", "gzip", "x-gzip", ""):
            raise Turned(415, f"Content-Encoding {coding[:80]!r} is not taken: send gzip, or none")
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                packed = await self._received(chunks, length)
        except TimeoutError:
            raise Turned(408, f"the body had not arrived after {self._settings.body_seconds:.0f} s", 1) from None
        return packed if coding in ("identity", "") else self._unpacked(packed)

    def release(self) -> None:
        """The body is no longer in memory."""
        self._held.bytes -= self.size
        self.size = 0

    async def _received(self, chunks: AsyncIterator[bytes], length: str | None) -> bytes:
        most = self._settings.body_bytes
        announced = int(length) if length and length.isascii() and length.isdigit() and len(length) < 19 else 0
        if announced > most:
            await self._discard(chunks, announced)
        parts: list[bytes] = []
        total = 0
        async for chunk in chunks:
            total += len(chunk)
            if total > most:
                await self._discard(chunks, total)
            self._hold(len(chunk))
            parts.append(chunk)
        return b"".join(parts)

    async def _discard(self, chunks: AsyncIterator[bytes], seen: int) -> None:
        most = self._settings.body_bytes
        thrown = 0
        if seen <= DISCARDED * most:
            async for chunk in chunks:
                thrown += len(chunk)
                if thrown > DISCARDED * most:
                    break
        raise Turned(413, f"the body has {max(seen, thrown):,} bytes or more; the limit is {most:,}: send less at once")

    def _unpacked(self, packed: bytes) -> bytes:
        most = self._settings.body_bytes
        parts: list[bytes] = []
        total = 0
        rest = packed
        try:
            for _ in range(MEMBERS):
                stream = zlib.decompressobj(GZIP)
                parts.append(stream.decompress(rest, most + 1 - total))
                total += len(parts[-1])
                self._hold(len(parts[-1]))
                if total > most:
                    raise Turned(
                        413, f"the body has more than {most:,} bytes once unpacked, the limit: send less at once"
                    )
                if not stream.eof:
                    raise Turned(400, f"the gzip body is cut short after {len(packed):,} bytes")
                rest = stream.unused_data
                if not rest:
                    return b"".join(parts)
        except zlib.error as error:
            raise Turned(400, f"the body is not gzip, as Content-Encoding says: {error}") from error
        raise Turned(400, f"the gzip body is made of more than {MEMBERS} parts: send one")

    def _hold(self, size: int) -> None:
        self._held.add(size)
        self.size += size
