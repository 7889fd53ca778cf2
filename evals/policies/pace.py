"""So many a minute, over all threads that ask: requests, or tokens.

Turns are spaced evenly behind a short burst. Left out: limits that several processes share; give each its part.
"""

import time
from threading import Lock

from models.errors import TransientError

BURST_S = 2.0
"""What was not used in so many seconds before may be used at once."""


class Pace:
    """A line in which every `take` waits for its turn. `per_minute` None: no limit, and no waiting but `hold`'s."""

    def __init__(self, per_minute: float | None) -> None:
        self._each = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = Lock()

    def take(self, amount: float, until: float) -> None:
        """Wait for the turn of `amount`. Raises TransientError where it comes after `until` (monotonic seconds)."""
        with self._lock:
            now = time.monotonic()
            turn = max(self._next, now - BURST_S)
            if turn > until:
                raise TransientError(f"the turn comes in {turn - now:.0f} s, which is too late: a rate limit is set")
            self._next = turn + amount * self._each
        wait = turn - now
        if wait > 0:
            time.sleep(wait)

    def correct(self, taken: float, used: float) -> None:
        """`taken` was a guess: it came to `used`."""
        with self._lock:
            self._next += (used - taken) * self._each

    def hold(self, seconds: float) -> None:
        """Nobody's turn comes for `seconds`: the other side asked for it."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)
