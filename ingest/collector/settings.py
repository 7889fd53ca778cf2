"""How much the collector takes, and for how long it waits. Left out: who may send, which is `keys.py`'s."""

from typing import NamedTuple

MIB = 1024 * 1024


class Settings(NamedTuple):
    """The defaults suit one small server. Sizes in bytes, times in seconds."""

    body_bytes: int = 8_000_000
    """A request's body, before and after decompression."""
    batch_events: int = 10_000
    waiting_events: int = 50_000
    """Events that were read and wait for the log; more are answered 503."""
    waiting_bytes: int = 64 * MIB
    held_bytes: int = 256 * MIB
    """Bodies that are being received or read; more are answered 503."""
    rate: float = 0.0
    """Events a second and key, with as much in reserve as two seconds bring; 0 is no limit."""
    body_seconds: float = 30.0
    """A body that has not arrived after this is given up: 408."""
    answer_seconds: float = 20.0
    """A log that has not acknowledged after this is 503, though what was sent may still be written."""
    remembered_events: int = 300_000
    """125 bytes of memory each."""
    remembered_seconds: float = 86_400.0
    access_log: bool = False
