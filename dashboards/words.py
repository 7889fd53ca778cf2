"""How numbers, times and states are said, the same in sentences, tables and charts."""

from datetime import UTC, date, datetime
from math import isfinite
from typing import Any, Literal

Tone = Literal["good", "warn", "bad", "plain"]

TONES: dict[str, Tone] = {
    **dict.fromkeys(("better", "holds", "completed", "ready", "running", "fine", "level", "accepted", "counts",
    "promoted", "champion", "fresh", "live"), "good"),
    **dict.fromkeys(("undecided", "proposed", "waiting", "queued", "stopped early", "old", "provisional", "spent"),
    "warn"),
    **dict.fromkeys(("worse", "harmed", "invalid", "failed", "stuck", "missing", "mismatch", "errored", "refused",
    "worn"), "bad"),
    "negative": "bad", "positive": "good",
}  # fmt: skip
"""What a word of a state means for who reads it; every other word is plain."""


def tone(state: Any) -> Tone:
    """The tone of a state's word."""
    return TONES.get(str(state), "plain")


def count(number: int, thing: str, things: str = "") -> str:
    """`1 job`, `2,000 jobs`."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def are(number: int) -> str:
    """`is` for one, else `are`."""
    return "is" if number == 1 else "are"


def have(number: int) -> str:
    """`has` for one, else `have`."""
    return "has" if number == 1 else "have"


def whole(value: Any) -> str:
    """A count, with commas; "" for None."""
    return "" if value is None else f"{int(value):,}"


def figure(value: Any) -> str:
    """A measured number with as many digits as tell something: 4 of them, or all before the point."""
    if value is None:
        return ""
    number = float(value)
    if not isfinite(number):
        return str(number)
    if number == 0 or abs(number) >= 1_000:
        return f"{number:,.0f}"
    return f"{number:.3f}" if 0.01 <= abs(number) < 10 else f"{number:.4g}"


def percent(value: Any) -> str:
    """A share as `12.3%`; small ones keep two digits."""
    if value is None:
        return ""
    share = 100 * float(value)
    return f"{share:.1f}%" if share == 0 or abs(share) >= 0.1 else f"{share:.2g}%"


def duration(seconds: Any) -> str:
    """`12 s`, `3 min`, `2 h`, `5 days`; "" for None."""
    if seconds is None:
        return ""
    left = max(0.0, float(seconds))
    for size, unit in ((172_800, "day"), (7_200, "h"), (120, "min")):
        if left >= size:
            number = int(left // {"day": 86_400, "h": 3_600, "min": 60}[unit])
            return f"{number:,} {unit}{'s' if unit == 'day' and number != 1 else ''}"
    return f"{left:.1f} s" if 0 < left < 10 and left != int(left) else f"{left:.0f} s"


def minute(value: datetime) -> str:
    """A moment in UTC, to the minute, where that it is UTC stands elsewhere."""
    return value.astimezone(UTC).strftime("%-d %b %Y, %H:%M")


def moment(value: datetime | None) -> str:
    """The same with its zone; `never` for None."""
    return f"{minute(value)} UTC" if value else "never"


def day(value: date | None) -> str:
    """A day; "" for None."""
    return value.strftime("%-d %b %Y") if value else ""


def ago(value: datetime | None, now: datetime) -> str:
    """How long before `now`; `never` for None."""
    return f"{duration((now - value).total_seconds())} ago" if value else "never"


def signed(value: float, unit: str = "") -> str:
    """A difference with its sign."""
    said = figure(abs(value))
    return f"{'-' if value < 0 else '+'}{said}{' ' + unit if unit else ''}"


def listed(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
