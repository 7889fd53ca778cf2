"""A rate for each key: a bucket of tokens that fills with time, one token an event.

A request is let in while there is a token and may take the bucket below zero: batches of any size pass, and who sent
one waits until it is paid for.
"""

import time
from collections.abc import Callable

RESERVE_SECONDS = 2.0
"""A bucket holds what this time brings."""


class Rates:
    """Buckets by key id; `rate` in events a second, 0 for no limit."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, key_id: str) -> float:
        """Seconds until the key may send again; 0 where it may now."""
        if not self._rate:
            return 0.0
        tokens = self._tokens(key_id)
        return 0.0 if tokens >= 1 else (1 - tokens) / self._rate

    def spend(self, key_id: str, events: int) -> None:
        """Take `events` tokens."""
        if self._rate:
            self._buckets[key_id] = (self._tokens(key_id) - events, self._clock())

    def _tokens(self, key_id: str) -> float:
        full = max(1.0, self._rate * RESERVE_SECONDS)
        tokens, then = self._buckets.get(key_id, (full, self._clock()))
        return min(full, tokens + (self._clock() - then) * self._rate)
