"""Event ids: UUID version 7 (RFC 9562, section 5.7), so that they sort by time. Made once, at recording."""

import os
import time
from uuid import UUID


def new_id() -> str:
    """A new id: 48 bits of milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    return str(UUID(int=value & ~(0x3 << 62) | 0x2 << 62))
