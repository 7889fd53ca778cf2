"""The first message of a TLS connection: which host the client says it wants (RFC 8446 §4.1.2, RFC 6066 §3).

It may come in many reads and in many records; it is put together first, and only then read. Left out: all that is
encrypted after it. What a client asks of the host it has reached nobody outside can see.
"""

from typing import Final

RECORD: Final = 5
HANDSHAKE, CLIENT_HELLO = 22, 1
SERVER_NAME, ENCRYPTED_CLIENT_HELLO = 0, 0xFE0D
MOST: Final = 1 << 16
"""Bytes that a hello may take."""


class NotTls(ValueError):
    """What came is no ClientHello, or one that does not say plainly whom it is for; says why."""


def server_name(received: bytes) -> str | None:
    """The name in the ClientHello that `received` begins with; None: it is not all there yet.

    Raises NotTls for anything else, for a hello without a name or with several, and for one that is encrypted.
    """
    message = _message(received)
    return None if message is None else _name(message)


def _message(received: bytes) -> bytes | None:
    """The handshake message, from as many records as it takes."""
    joined = b""
    at = 0
    while len(joined) < 4 or len(joined) < 4 + int.from_bytes(joined[1:4]):
        if joined and joined[0] != CLIENT_HELLO:
            raise NotTls("not a ClientHello")
        if received[at : at + 1] not in (b"", bytes([HANDSHAKE])):
            raise NotTls("not TLS")
        if at >= MOST:
            raise NotTls("a ClientHello without an end")
        if len(received) < at + RECORD:
            return None
        if received[at + 1] != 3:
            raise NotTls("not TLS")
        length = int.from_bytes(received[at + 3 : at + 5])
        if not 0 < length <= 1 << 14:
            raise NotTls("a record of an impossible length")
        if len(received) < at + RECORD + length:
            return None
        joined += received[at + RECORD : at + RECORD + length]
        at += RECORD + length
    if joined[0] != CLIENT_HELLO:
        raise NotTls("not a ClientHello")
    return joined[4 : 4 + int.from_bytes(joined[1:4])]


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def take(self, count: int) -> bytes:
        found = self._content[self._at : self._at + count]
        if len(found) < count:
            raise NotTls("a ClientHello that ends too soon")
        self._at += count
        return found

    def block(self, width: int) -> "_Reader":
        """What follows a length of `width` bytes."""
        return _Reader(self.take(int.from_bytes(self.take(width))))

    def rest(self) -> bytes:
        found, self._at = self._content[self._at :], len(self._content)
        return found

    def __bool__(self) -> bool:
        return self._at < len(self._content)


def _name(message: bytes) -> str:
    hello = _Reader(message)
    hello.take(2 + 32)  # version and random
    hello.block(1)  # session
    hello.block(2)  # ciphers
    hello.block(1)  # compression
    extensions = hello.block(2) if hello else _Reader(b"")
    names: list[bytes] = []
    seen: set[int] = set()
    while extensions:
        kind, content = int.from_bytes(extensions.take(2)), extensions.block(2)
        if kind in seen:
            raise NotTls("an extension that comes twice")
        seen.add(kind)
        if kind == ENCRYPTED_CLIENT_HELLO:
            raise NotTls("an encrypted ClientHello")
        if kind == SERVER_NAME:
            listed = content.block(2)
            while listed:
                if listed.take(1) != b"\0":
                    raise NotTls("a name that is no host's")
                names.append(listed.block(2).rest())
    if len(names) != 1:
        raise NotTls("TLS without a server name" if not names else "TLS with several server names")
    try:
        return names[0].decode("ascii")
    except UnicodeDecodeError as error:
        raise NotTls("a server name that is not ASCII") from error
