"""How long to wait before the next try: exponential, with full jitter, and never less than the server asked for."""

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from math import isfinite

LONGEST_ASKED = 600.0
"""A server may ask for more; it gets this many seconds."""


def pause(failures: int, first: float, longest: float, asked: float | None) -> float:
    """Seconds to wait after `failures` (from 1) in a row. `asked` is the server's Retry-After in seconds."""
    bound = min(longest, first * 2 ** min(failures - 1, 30))
    drawn = random.uniform(bound / 10, bound)
    return drawn if asked is None else asked + drawn / 10


def asked_for(header: str | None) -> float | None:
    """The seconds in a Retry-After header, which holds a number or a date; None where it says nothing usable."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            moment = parsedate_to_datetime(header)
        except ValueError:
            return None
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
        seconds = (zoned - datetime.now(timezone.utc)).total_seconds()
    return min(max(seconds, 0.0), LONGEST_ASKED) if isfinite(seconds) else None
